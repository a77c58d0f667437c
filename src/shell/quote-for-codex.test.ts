import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteForCodex } from './quote-for-codex.ts';

/** Words, and the lines that Codex 0.166 prints for them. */
test.each([
  ['', "''"],
  ['a/b:c@d]', 'a/b:c@d]'],
  ['echo hi', "'echo hi'"],
  ['a=b', "'a=b'"],
  ["it's", `"it's"`],
  ['a\\b', '"a\\\\b"'],
  [`echo "it's" 'a "b"' \\$x`, `"echo \\"it's\\" 'a \\"b\\"' \\\\"'$x'`],
  ['^a', "'^a'"],
  ['a^b', "a'^b'"],
])('%j is %s', (word, quoted) => {
  expect(quoteForCodex([word])).toBe(quoted);
});

test('a real shell reads the words back', () => {
  const marks = fc.string({ unit: fc.constantFrom(...`ab '"\\$\`!^*[]{}~#=%,;&|<>()\n\té`) });
  fc.assert(
    fc.property(fc.array(marks, { minLength: 1, maxLength: 5 }), (argv) => {
      const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${quoteForCodex(argv)}`], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toEqual(argv);
    }),
    { numRuns: 60 },
  );
});
