import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphemes } from './graphemes.ts';

test.each([
  ['abc', ['a', 'b', 'c']],
  ['e\u0301a', ['e\u0301', 'a']],
  ['👩\u200d🚀!', ['👩\u200d🚀', '!']],
  ['🇩🇪🇫🇷🇯', ['🇩🇪', '🇫🇷', '🇯']],
  ['👍🏽👍', ['👍🏽', '👍']],
  ['\u1112\u1161\u11ab가', ['\u1112\u1161\u11ab', '가']],
  ['1\ufe0f\u20e3', ['1\ufe0f\u20e3']],
  ['क्षि', ['क्षि']],
  ['', []],
])('%j', (text, parts) => {
  expect(graphemes(text)).toEqual(parts);
});

test('no grapheme of Intl.Segmenter is split, and nothing is lost', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.constantFrom(...SAMPLES)).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (sample) => {
      const own = graphemes(sample);
      expect(own.join('')).toBe(sample);
      const starts = new Set([...segmenter.segment(sample)].map(({ index }) => index));
      let at = 0;
      for (const part of own) {
        expect(starts.has(at), `${JSON.stringify(sample)} at ${at}`).toBe(true);
        at += part.length;
      }
    }),
  );
});

const SAMPLES = [
  'a',
  ' ',
  'é',
  'e\u0301',
  '漢',
  'か\u3099',
  '👩',
  '\u200d',
  '🚀',
  '🇩',
  '🇪',
  '👍',
  '🏽',
  '\ufe0f',
  '✔',
  'क',
  '\u094d',
  'ष',
  'ि',
  '\u1112',
  '\u1161',
  '\u11ab',
  '가',
  '\u0e33',
  'ا',
  '\u0600',
];
