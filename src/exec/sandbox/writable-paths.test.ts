import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isInside } from '../../base/guarded-paths.ts';
import { createPlaces } from './places.ts';
import { findWritablePaths } from './writable-paths.ts';

let base: string;
const path = (...names: string[]) => join(base, ...names);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
  mkdirSync(path('a', 'b'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

function find(writableRoots: string[], isOurs?: (path: string) => boolean) {
  const policy = { mode: 'workspace-write', writableRoots, network: false } as const;
  return findWritablePaths(
    createPlaces(() => {})
      .of(policy)
      .examine(),
    isOurs,
  );
}

const NAMES = ['.git', '.agents', '.codex', '.oxbow'];

test('roots are canonical, exist, and come before the roots inside them', () => {
  symlinkSync(path('a'), path('link'));
  mkdirSync(path('ab'));
  const roots = [path('a', 'b'), path('link'), path('a'), path('missing'), path('ab')];
  expect(find(roots).roots).toEqual([{ path: path('a') }, { path: path('ab') }, { path: path('a', 'b') }]);
});

test('protected names are found in every root, even in one inside another', () => {
  mkdirSync(path('a', '.git'));
  mkdirSync(path('a', 'b', '.oxbow'));
  writeFileSync(path('a', 'b', '.codex'), '');
  mkdirSync(path('a', 'b', '.agents'));
  const { readOnly, absent } = find([path('a'), path('a', 'b')]);
  expect(readOnly).toEqual([
    path('a', '.git'),
    path('a', 'b', '.agents'),
    path('a', 'b', '.codex'),
    path('a', 'b', '.oxbow'),
  ]);
  expect(absent).toEqual([...NAMES.slice(1).map((name) => path('a', name)), path('a', 'b', '.git')]);
});

test('a stub counts as absent', () => {
  mkdirSync(path('a', '.git'));
  const found = find([path('a')], (candidate) => candidate === path('a', '.git'));
  expect(found.readOnly).toEqual([]);
  expect(found.absent).toEqual(NAMES.map((name) => path('a', name)));
});

test('in a folder where any user may write, only existing names are protected', () => {
  chmodSync(path('a'), 0o1777);
  mkdirSync(path('a', '.git'));
  const { readOnly, absent } = find([path('a')]);
  expect(readOnly).toEqual([path('a', '.git')]);
  expect(absent).toEqual([]);
});

test.each([
  ['a worktree', ['a', 'main', '.git', 'worktrees', 'x'], ['a', 'main', '.git']],
  ['a separate repository folder', ['a', 'x.git'], ['a', 'x.git']],
])('the .git file of %s leads to its repository', (_, folder, expected) => {
  mkdirSync(path(...folder), { recursive: true });
  writeFileSync(path('a', 'b', '.git'), `gitdir: ${path(...folder)}\n`);
  expect(find([path('a'), path('a', 'b')]).readOnly).toEqual([path('a', 'b', '.git'), path(...expected)]);
});

test('a path outside the writable roots needs no protection', () => {
  mkdirSync(path('main', '.git', 'worktrees', 'x'), { recursive: true });
  writeFileSync(path('a', '.git'), `gitdir: ${path('main', '.git', 'worktrees', 'x')}\n`);
  expect(find([path('a')]).readOnly).toEqual([path('a', '.git')]);
});

test('a .git file that leads nowhere is protected itself', () => {
  writeFileSync(path('a', '.git'), 'gitdir: ../missing\n');
  expect(find([path('a')]).readOnly).toEqual([path('a', '.git')]);
});

test('of a root with a linked name only the existing entries are writable, and a note says so', () => {
  symlinkSync('b', path('a', '.git'));
  symlinkSync('missing', path('a', '.oxbow'));
  mkdirSync(path('a', '.agents'));
  writeFileSync(path('a', 'file'), '');
  symlinkSync('/etc', path('a', 'elsewhere'));
  const { roots, readOnly, notes } = find([path('a')]);
  expect(roots).toEqual([{ path: path('a'), children: [path('a', 'b'), path('a', 'file')] }]);
  expect(readOnly).toEqual([path('a', 'b'), path('a', '.agents')]);
  expect(notes).toEqual([
    expect.stringContaining(`${path('a', '.git')} is a symbolic link`),
    expect.stringContaining(`${path('a', '.oxbow')} is a symbolic link`),
  ]);
});

test('folders between a root and a protected path below it may not move', () => {
  mkdirSync(path('a', 'b', 'c', 'd', '.git'), { recursive: true });
  expect(find([path('a'), path('a', 'b', 'c', 'd')]).pinned).toEqual([path('a', 'b'), path('a', 'b', 'c')]);
  expect(find([path('a', 'b', 'c', 'd')]).pinned).toEqual([]);
});

test('only paths below a folder are inside it', () => {
  expect([isInside('/a/b', '/a'), isInside('/a', '/a'), isInside('/ab', '/a'), isInside('/a', '/')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
