import { expect, test } from 'vitest';
import { diffRows, renderDiff } from './diff-rows.ts';
import { renderLine } from './render-line.ts';
import { lineText } from './span.ts';

const DIFF = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -9,3 +9,3 @@ function f() {
 one
-\told line that is long
+\tnew
 three
@@ -100 +100,2 @@
-a
+b
+-- c
\\ No newline at end of file
`;

test('each line has its number in its own file, and hunks are apart', () => {
  expect(renderDiff(diffRows(DIFF), { width: 40, colored: true, indent: 2 }).map(lineText)).toEqual([
    '    9  one',
    '   10 -    old line that is long',
    '   10 +    new',
    '   11  three',
    '      ⋮',
    '  100 -a',
    '  100 +b',
    '  101 +-- c',
    '      \\ No newline at end of file',
  ]);
});

test('a long line goes on below its text', () => {
  const rows = diffRows('@@ -1 +1 @@\n-one two three\n+oneverylongword');
  expect(renderDiff(rows, { width: 12, colored: true, indent: 2 }).map(lineText)).toEqual([
    '  1 -one two',
    '     three',
    '  1 +onevery',
    '     longwor',
    '     d',
  ]);
});

test('colours are for changes that were made, and control characters are written out', () => {
  const rows = diffRows('@@ -1 +1 @@\n-\u001b[2Ja\n+b\r');
  const shown = (colored: boolean) =>
    renderDiff(rows, { width: 40, colored, indent: 0 }).map((line) => renderLine(line, '16').replaceAll('\u001b', '^'));
  expect(shown(true)).toEqual(['^[31m1 -\\u{1B}[2Ja^[0m', '^[32m1 +b^[0m']);
  expect(shown(false)).toEqual(['^[2m1 -\\u{1B}[2Ja^[0m', '^[2m1 +b^[0m']);
});

test('a diff without hunks has no lines', () => {
  expect(diffRows('diff --git a/x b/y\nrename from x\nrename to y\n')).toEqual([]);
});
