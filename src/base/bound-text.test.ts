import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutMiddle, cutMiddleWithWarning, limitBytes } from './bound-text.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

test('a text within the limit is untouched', () => {
  expect(cutMiddle('a'.repeat(40), { unit: 'tokens', limit: 10 })).toBe('a'.repeat(40));
  expect(cutMiddleWithWarning('short', { unit: 'bytes', limit: 5 })).toBe('short');
});

test('a longer text keeps its beginning and end, and says how much is gone in the unit of the limit', () => {
  const text = `${'a'.repeat(50)}${'b'.repeat(50)}`;
  expect(cutMiddle(text, { unit: 'tokens', limit: 5 })).toBe(`${'a'.repeat(10)}…20 tokens truncated…${'b'.repeat(10)}`);
  expect(cutMiddle(text, { unit: 'bytes', limit: 11 })).toBe(`${'a'.repeat(5)}…89 chars truncated…${'b'.repeat(6)}`);
});

test('the warning counts tokens and lines of the whole text', () => {
  const text = 'line\n'.repeat(100);
  expect(cutMiddleWithWarning(text, { unit: 'bytes', limit: 10 })).toBe(
    'Warning: truncated output (original token count: 125)\nTotal output lines: 100\n\nline\n…490 chars truncated…line\n',
  );
});

test('a cut text exceeds its limit by the note at most, and no character is split', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 400 }).map((part) => part.repeat(3));
  fc.assert(
    fc.property(
      text,
      fc.constantFrom('bytes' as const, 'tokens' as const),
      fc.integer({ min: 1, max: 200 }),
      (whole, unit, limit) => {
        const cut = cutMiddle(whole, { unit, limit });
        const kept = cut.replace(/…\d+ (tokens|chars) truncated…/, '');
        expect(bytesOf(kept)).toBeLessThanOrEqual(
          Math.max(limitBytes({ unit, limit }), cut === whole ? bytesOf(whole) : 0),
        );
        if (!whole.includes('\ufffd')) expect(cut.includes('\ufffd')).toBe(false);
      },
    ),
  );
});
