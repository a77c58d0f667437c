import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillBudget } from './fill-budget.ts';
import type { Beginning } from './read-bounded.ts';

/** Returns the beginning of a text as a file would be read. */
function beginning(text: string, limit: number): Beginning {
  const bytes = Buffer.from(text);
  return { bytes: bytes.subarray(0, limit), whole: bytes.length <= limit };
}

const size = (text: string) => Buffer.byteLength(text);

test('texts fill their budget in order: whole ones, at most one beginning, then nothing', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(fc.array(text), fc.nat({ max: 120 }), (given, budget) => {
      const files = given.map((content, index) => ({ content, index }));
      const { texts, cut, dropped } = fillBudget(files, budget, ({ content }, limit) => beginning(content, limit));
      const used = texts.reduce((sum, one) => sum + size(one), 0);
      expect(used).toBeLessThanOrEqual(budget);
      const end = (cut ?? dropped[0])?.index ?? files.length;
      const whole = files.slice(0, end).filter(({ content }) => content.trim() !== '');
      expect(texts.slice(0, whole.length)).toEqual(whole.map(({ content }) => content));
      if (cut === null) {
        expect(texts).toHaveLength(whole.length);
        return;
      }
      const begun = texts.slice(whole.length).join('');
      expect(cut.content.startsWith(begun)).toBe(true);
      expect(dropped).toEqual(files.slice(cut.index + 1));
      // A file that begins with more blanks than there is room for has no text. Otherwise there was no room for the
      // next character.
      if (begun === '') expect(cut.content.length).toBeGreaterThan(0);
      else
        expect(used + size(String.fromCodePoint(cut.content.codePointAt(begun.length) ?? 0))).toBeGreaterThan(budget);
    }),
  );
});

test('files that cannot be read are passed over', () => {
  const read = (file: string) => (file === 'b' ? undefined : beginning(file, 9));
  expect(fillBudget(['a', 'b', 'c'], 9, read)).toEqual({ texts: ['a', 'c'], cut: null, dropped: [] });
});
