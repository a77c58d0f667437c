import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellWidth } from './cells.ts';
import { cutText, fitText } from './fit-text.ts';

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
      expect(cellWidth(cutText(text, columns))).toBeLessThanOrEqual(columns);
      // Half a wide character does not fit: a space replaces it.
      expect(cellWidth(fitText(text, columns))).toBe(columns);
    }),
  );
});
