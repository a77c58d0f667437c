import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgv } from './quote.ts';

test('plain words stay as they are, others are quoted', () => {
  expect(quoteArgv(['/bin/bash', '-c', 'echo hi'])).toBe("/bin/bash -c 'echo hi'");
  expect(quoteArgv(['a', '', "it's"])).toBe(`a '' 'it'"'"'s'`);
});

test('a real shell reads the words back', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && !text.includes('\ufffd'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (argv) => {
      const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${quoteArgv(argv)}`], { encoding: 'utf8' });
      const wellFormed = argv.map((text) => Buffer.from(text, 'utf8').toString('utf8'));
      expect(printed.split('\0').slice(0, -1)).toEqual(wellFormed);
    }),
    { numRuns: 60 },
  );
});
