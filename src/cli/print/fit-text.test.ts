import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, fitText, textWidth } from './fit-text.ts';

test('columns are counted as terminals count them', () => {
  expect(textWidth('plain')).toBe(5);
  expect(textWidth('日本')).toBe(4);
  expect(textWidth('e\u0301')).toBe(1);
  expect(textWidth('🙂')).toBe(2);
  expect(textWidth('äß…')).toBe(3);
});

test('a text is cut with an ellipsis, between characters', () => {
  expect(cutText('abcdef', 6)).toBe('abcdef');
  expect(cutText('abcdef', 4)).toBe('abc…');
  expect(cutText('日本語', 4)).toBe('日…');
  expect(cutText('abc', 0)).toBe('');
});

test('a fitted text has exactly the columns, a cut text at most', () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('日本語のテキスト', 'a🙂b🙂c'));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, columns) => {
      expect(textWidth(cutText(text, columns))).toBeLessThanOrEqual(columns);
      // Half a wide character does not fit: a space replaces it.
      expect(textWidth(fitText(text, columns))).toBe(columns);
    }),
  );
});
