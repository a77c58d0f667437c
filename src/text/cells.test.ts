import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellWidth, expandTabs } from './cells.ts';

test.each([
  ['plain', 5],
  ['äß…', 3],
  ['日本', 4],
  ['ｆｕｌｌ', 8],
  ['e\u0301', 1],
  ['a\u0308\u0323', 1],
  ['🙂', 2],
  ['👩\u200d🚀', 2],
  ['👨\u200d👩\u200d👧\u200d👦', 2],
  ['👍🏽', 2],
  ['🇩🇪', 2],
  ['🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 2],
  ['✔', 1],
  ['✔\ufe0f', 2],
  ['1\ufe0f\u20e3', 2],
  ['\u1112\u1161\u11ab', 2],
  ['한글', 4],
  ['का', 2],
  ['─│…⋮', 4],
  ['', 0],
])('%j takes %i cells', (text, cells) => {
  expect(cellWidth(text)).toBe(cells);
});

test('the width of a text is at most that of its parts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, two) => {
      expect(cellWidth(one + two)).toBeLessThanOrEqual(cellWidth(one) + cellWidth(two) + 1);
      expect(cellWidth(one)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('tabs go to the next multiple of four cells', () => {
  expect(expandTabs('\ta')).toBe('    a');
  expect(expandTabs('ab\tc\td')).toBe('ab  c   d');
  expect(expandTabs('日本\tx')).toBe('日本    x');
  expect(expandTabs('none')).toBe('none');
});
