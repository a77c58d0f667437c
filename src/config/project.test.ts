import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProjectRoot } from './project.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'project-'));
  mkdirSync(join(folder, 'a/b'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a project is the nearest repository, or worktree, upwards', () => {
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
  expect(findProjectRoot(join(folder, 'a/b'))).toBe(folder);
  writeFileSync(join(folder, 'a/.git'), 'gitdir: elsewhere\n');
  expect(findProjectRoot(join(folder, 'a/b'))).toBe(join(folder, 'a'));
});

test('an empty folder of that name is not a repository', () => {
  mkdirSync(join(folder, 'a/.git'));
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/HEAD'), '');
  expect(findProjectRoot(join(folder, 'a/b'))).toBe(folder);
});
