import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { diffLines } from './diff-lines.ts';
import { gitDiff } from './git-diff.ts';

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

test('a change has names, hunks and three context lines', () => {
  const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15');
  const after = before.replace('5\n', 'five\n').replace('15\n', '15\n16\n');
  expect(gitDiff({ path: 'src/f.txt', before, after })).toBe(
    lines(
      'diff --git a/src/f.txt b/src/f.txt',
      '--- a/src/f.txt',
      '+++ b/src/f.txt',
      ...['@@ -2,7 +2,7 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'],
      ...['@@ -13,3 +13,4 @@', ' 13', ' 14', ' 15', '+16'],
    ),
  );
});

test('hunks whose context would touch are merged', () => {
  const before = lines('a', '1', '2', '3', '4', '5', '6', 'b');
  const after = before.replace('a', 'A').replace('b', 'B');
  expect(gitDiff({ path: 'f', before, after }).match(/^@@.*/gm)).toEqual(['@@ -1,8 +1,8 @@']);
  const further = lines('a', '1', '2', '3', '4', '5', '6', '7', 'b');
  expect(
    gitDiff({ path: 'f', before: further, after: further.replace('b', 'B').replace('a', 'A') }).match(/^@@/gm),
  ).toHaveLength(2);
});

test('a new file', () => {
  const header = 'diff --git a/f b/f\nnew file mode 100644\n';
  expect(gitDiff({ path: 'f', before: null, after: 'x\n' })).toBe(
    `${header}--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n`,
  );
  expect(gitDiff({ path: 'f', before: null, after: '' })).toBe(header);
});

test('a deleted file', () => {
  const header = 'diff --git a/f b/f\ndeleted file mode 100644\n';
  expect(gitDiff({ path: 'f', before: 'x\ny\n', after: null })).toBe(
    `${header}--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n`,
  );
  expect(gitDiff({ path: 'f', before: '', after: null })).toBe(header);
});

test('a file that moves', () => {
  expect(gitDiff({ path: 'f', to: 'g/f', before: 'x\n', after: 'x\n' })).toBe(
    'diff --git a/f b/g/f\nsimilarity index 100%\nrename from f\nrename to g/f\n',
  );
  expect(gitDiff({ path: 'f', to: 'g', before: 'x\n', after: 'y\n' })).toBe(
    'diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n',
  );
});

test('a last line without an ending is marked', () => {
  expect(gitDiff({ path: 'f', before: 'x', after: 'x\n' })).toContain('-x\n\\ No newline at end of file\n+x\n');
  expect(gitDiff({ path: 'f', before: 'x\ny', after: 'X\ny' })).toMatch(/-x\n\+X\n y\n\\ No newline at end of file\n$/);
});

test('the diff of equal files is empty', () => {
  expect(gitDiff({ path: 'f', before: 'x', after: 'x' })).toBe('');
  expect(gitDiff({ path: 'f', before: null, after: null })).toBe('');
});

test('names that would be misread are quoted, and absolute ones keep one slash', () => {
  expect(gitDiff({ path: 'a "b"\t.txt', before: '', after: 'x\n' })).toContain('--- "a/a \\"b\\"\\t.txt"\t\n');
  expect(gitDiff({ path: '/abs/f', before: '', after: 'x\n' })).toContain('diff --git a/abs/f b/abs/f\n');
});

test('binary files have only a note that they differ', () => {
  expect(gitDiff({ path: 'f', before: 'a\0', after: 'b\0' })).toBe(
    'diff --git a/f b/f\nBinary files a/f and b/f differ\n',
  );
});

test('a new block is shown whole, with the empty line after it', () => {
  const before = lines('f() {', '  1', '}', '', 'h() {', '  3', '}');
  const after = lines('f() {', '  1', '}', '', 'g() {', '  2', '}', '', 'h() {', '  3', '}');
  expect(gitDiff({ path: 'f', before, after })).toContain(' \n+g() {\n+  2\n+}\n+\n h() {\n');
});

describe('lines that differ', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 24 });

  test('are as few as possible', () => {
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const found = diffLines(before, after);
        const gone = found.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0);
        expect(before.length - gone).toBe(longestCommon(before, after));
        expect(patched(before, after)).toEqual(after);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('are found in long texts that have little in common', () => {
    const shuffled = (seed: number) => Array.from({ length: 50_000 }, (_, at) => `line ${(at * seed) % 20_011}`);
    const [before, after] = [shuffled(7919), shuffled(104_729)];
    const began = performance.now();
    expect(patched(before, after)).toEqual(after);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

function patched(before: readonly string[], after: readonly string[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of diffLines(before, after)) {
    result.push(...before.slice(at, oldFrom), ...after.slice(newFrom, newTo));
    at = oldTo;
  }
  return [...result, ...before.slice(at)];
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    for (const [at, y] of b.entries()) {
      next.push(x === y ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
