import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgv } from '../../shell/quote.ts';
import { splitWords } from './split-words.ts';

test.each([
  ['', []],
  ['  git  push ', ['git', 'push']],
  [`a 'b c' "d e" f' 'g`, ['a', 'b c', 'd e', 'f g']],
  [String.raw`a\ b "c\"d" 'e\f' "g\h"`, ['a b', 'c"d', 'e\\f', 'g\\h']],
  [`'' ""`, ['', '']],
])('%j', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test.each(["a 'b", 'a "b', 'a \\'])('%j has an open quote', (text) => {
  expect(splitWords(text)).toBeUndefined();
});

test('quoted words are read back', () => {
  const word = fc.string({ maxLength: 6 });
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitWords(quoteArgv(words))).toEqual(words);
    }),
  );
});

test('a real shell reads the same words', () => {
  const char = fc.constantFrom('a', ' ', "'", '"', '\\', '-');
  const text = fc.string({ unit: char, maxLength: 12 }).filter((line) => splitWords(line) !== undefined);
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (lines) => {
      const script = lines.map((line) => `printf '%s\\0' ${line}\nprintf '\\0\\n'`).join('\n');
      const printed = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0\n').slice(0, -1);
      // Without words, printf prints one empty word.
      const expected = lines.map((line) => (splitWords(line)?.length ? splitWords(line) : ['']));
      expect(printed.map((block) => block.split('\0').slice(0, -1))).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});
