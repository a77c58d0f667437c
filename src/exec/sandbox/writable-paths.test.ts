import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findWritablePaths, isInside } from './writable-paths.ts';

let base: string;
const path = (...names: string[]) => join(base, ...names);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
  mkdirSync(path('a', 'b'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

test('roots are canonical, exist, and none lies inside another', () => {
  symlinkSync(path('a'), path('link'));
  mkdirSync(path('ab'));
  expect(findWritablePaths([path('a', 'b'), path('link'), path('a'), path('missing'), path('ab')])).toEqual({
    writable: [path('a'), path('ab')],
    readOnly: [],
    notes: [],
  });
});

test('protected names are found in every root, also in one that lies inside another', () => {
  mkdirSync(path('a', '.git'));
  mkdirSync(path('a', 'b', '.oxbow'));
  writeFileSync(path('a', 'b', '.codex'), '');
  mkdirSync(path('a', 'b', '.agents'));
  expect(findWritablePaths([path('a'), path('a', 'b')]).readOnly).toEqual([
    path('a', '.git'),
    path('a', 'b', '.agents'),
    path('a', 'b', '.codex'),
    path('a', 'b', '.oxbow'),
  ]);
});

test.each([
  ['a worktree', ['main', '.git', 'worktrees', 'x'], ['main', '.git']],
  ['a separate repository folder', ['store', 'x.git'], ['store', 'x.git']],
])('the .git file of %s leads to its repository', (_, folder, expected) => {
  mkdirSync(path(...folder), { recursive: true });
  writeFileSync(path('a', '.git'), `gitdir: ${path(...folder)}\n`);
  expect(findWritablePaths([path('a')]).readOnly).toEqual([path('a', '.git'), path(...expected)]);
});

test('a .git file that leads nowhere is protected itself', () => {
  writeFileSync(path('a', '.git'), 'gitdir: ../missing\n');
  expect(findWritablePaths([path('a')]).readOnly).toEqual([path('a', '.git')]);
});

test('a link is followed and reported, also when nothing is there', () => {
  symlinkSync('b', path('a', '.git'));
  symlinkSync('missing', path('a', '.oxbow'));
  const { readOnly, notes } = findWritablePaths([path('a')]);
  expect(readOnly).toEqual([path('a', 'b')]);
  expect(notes).toHaveLength(2);
});

test('only what is below a folder is inside it', () => {
  expect([isInside('/a/b', '/a'), isInside('/a', '/a'), isInside('/ab', '/a'), isInside('/a', '/')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
