import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from './temp-workspace.ts';

let workspace: TempWorkspace | undefined;

afterEach(() => workspace?.dispose());

function create(...args: Parameters<typeof createWorkspace>): TempWorkspace {
  workspace = createWorkspace(...args);
  return workspace;
}

test('a workspace has the files it was given', () => {
  const { file, read, path } = create({ 'a.txt': 'one', 'deep/down/b.bin': new Uint8Array([1, 2]) });
  expect(read('a.txt')).toBe('one');
  expect(readFileSync(join(path, 'deep', 'down', 'b.bin'))).toEqual(Buffer.from([1, 2]));
  expect(file('a.txt')).toBe(join(realpathSync(path), 'a.txt'));
});

test('files can be written and read', () => {
  const { write, read, file } = create();
  expect(write('new/c.txt', 'text')).toBe(file('new/c.txt'));
  expect(read('new/c.txt')).toBe('text');
});

test('the home is outside the workspace and accepts a config', () => {
  const { path, home, configure } = create();
  configure('model = "scripted"\n');
  expect(relative(path, home).startsWith('..')).toBe(true);
  expect(readFileSync(join(home, 'config.toml'), 'utf8')).toBe('model = "scripted"\n');
});

test('two workspaces have nothing in common', () => {
  const first = create({ 'a.txt': '1' });
  const second = createWorkspace();
  expect(existsSync(second.file('a.txt'))).toBe(false);
  second.dispose();
  expect(first.read('a.txt')).toBe('1');
});

test('dispose leaves nothing behind', () => {
  const { path, home, dispose } = create({ 'a/b/c.txt': '1' });
  dispose();
  expect(existsSync(path) || existsSync(home) || existsSync(join(path, '..'))).toBe(false);
});

test('git accepts the workspace as a repository', ({ skip }) => {
  const { path } = create({ 'a.txt': 'one' });
  const git = (...args: string[]) => spawnSync('git', args, { cwd: path, encoding: 'utf8' });
  if (git('--version').error) skip('git is not installed');

  expect(git('rev-parse', '--show-toplevel').stdout.trim()).toBe(path);
  expect(git('status', '--porcelain').stdout).toBe('?? a.txt\n');
  git('add', '.');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
  const commit = git(...identity, 'commit', '-m', 'first');
  expect(commit.status).toBe(0);
});
