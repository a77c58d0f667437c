import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Exec } from './exec-process.ts';
import { createFarFiles } from './far-files.ts';
import { createFarPaths } from './far-paths.ts';

const POLICY = { mode: 'danger-full-access', writableRoots: [], network: true } as const;
const exec: Exec = ([program = '', ...args]) => spawn(program, args);

function folder() {
  const path = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'oxbow-far-files-')));
  onTestFinished(() => fs.rmSync(path, { recursive: true, force: true }));
  return { path, at: (name: string) => join(path, name) };
}

function filesOf(near: string, far = near) {
  return createFarFiles(exec, createFarPaths(near, far), POLICY);
}

const UNCONFINED = { sandboxed: false };

test('a changed or moved file keeps its mode and its byte order mark, and no other file is left', async () => {
  const { path, at } = folder();
  fs.writeFileSync(at('run.sh'), '\uFEFFold\n', { mode: 0o750 });
  fs.writeFileSync(at('b.sh'), 'b\n', { mode: 0o700 });
  await filesOf(path).change(
    [
      { path: at('run.sh'), before: 'old\n', after: "it's new\0\n" },
      { path: at('b.sh'), to: at('sub/c.sh'), before: 'b\n', after: 'c\n' },
    ],
    UNCONFINED,
  );
  expect(fs.readFileSync(at('run.sh'), 'utf8')).toBe("\uFEFFit's new\0\n");
  expect(fs.statSync(at('run.sh')).mode & 0o777).toBe(0o750);
  expect(fs.statSync(at('sub/c.sh')).mode & 0o777).toBe(0o700);
  expect(fs.readdirSync(path).sort()).toEqual(['run.sh', 'sub']);
  expect(fs.readdirSync(at('sub'))).toEqual(['c.sh']);
});

test('a change that fails halfway is undone', async () => {
  const { path, at } = folder();
  fs.writeFileSync(at('a'), 'a', { mode: 0o640 });
  fs.writeFileSync(at('b'), 'b');
  fs.writeFileSync(at('file'), 'not a folder');
  const changes = [
    { path: at('a'), before: 'a', after: 'changed' },
    { path: at('b'), before: 'b', after: null },
    { path: at('new/deep/c'), before: null, after: 'c' },
    { path: at('file/d'), before: null, after: 'd' },
  ];
  await expect(filesOf(path).change(changes, UNCONFINED)).rejects.toMatchObject({
    name: 'ToolFailure',
    effect: 'none',
    message: expect.stringMatching(/file\/d could not be made\. Nothing was changed\.$/),
  });
  expect(fs.readdirSync(path).sort()).toEqual(['a', 'b', 'file']);
  expect(fs.readFileSync(at('a'), 'utf8')).toBe('a');
  expect(fs.statSync(at('a')).mode & 0o777).toBe(0o640);
});

test('a file may move to a path below its own', async () => {
  const { path, at } = folder();
  fs.writeFileSync(at('a'), 'a');
  await filesOf(path).change([{ path: at('a'), to: at('a/b'), before: 'a', after: 'b' }], UNCONFINED);
  expect(fs.readFileSync(at('a/b'), 'utf8')).toBe('b');
});

test('the working folder of the agent stands for a folder of the far side', async () => {
  const { path, at } = folder();
  fs.mkdirSync(at('real'));
  fs.symlinkSync('real', at('link'));
  const files = filesOf('/nowhere/project', path);
  await files.change([{ path: '/nowhere/project/real/a', before: null, after: 'a' }], UNCONFINED);
  expect(fs.readFileSync(at('real/a'), 'utf8')).toBe('a');
  expect(await files.locate('/nowhere/project/link/a')).toBe('/nowhere/project/real/a');
  expect(await files.locate(at('link/a'))).toBe('/nowhere/project/real/a');
  expect(await files.locate('/nowhere/else')).toBe('/nowhere/else');
  expect(Buffer.from(await files.read('/nowhere/project/link/a')).toString()).toBe('a');
});

test('errors have the codes of the system', async () => {
  const { path, at } = folder();
  fs.symlinkSync('loop', at('loop'));
  const files = filesOf(path);
  await expect(files.read(path)).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(files.read(at('loop'))).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(files.read('/dev/null')).rejects.toMatchObject({ code: 'EINVAL' });
});

test('git is asked whether it has a file', async () => {
  const { path, at } = folder();
  execFileSync('git', ['init', '-q', path]);
  fs.writeFileSync(at('a'), 'a');
  expect(await filesOf(path).isInGit(at('a'))).toBe(false);
  execFileSync('git', ['-C', path, 'add', 'a']);
  expect(await filesOf(path).isInGit(at('a'))).toBe(true);
  fs.writeFileSync(at('a'), 'b');
  expect(await filesOf(path).isInGit(at('a'))).toBe(false);
});

test('a far side that cannot be reached is named', async () => {
  const lost: Exec = () => spawn('/bin/sh', ['-c', 'echo No such container: x >&2; exit 1']);
  const files = createFarFiles(lost, createFarPaths('/', '/'), POLICY);
  await expect(files.read('/x')).rejects.toThrow('The far side could not be reached: No such container: x');
  const missing = createFarFiles(() => spawn('/nonexistent/ssh'), createFarPaths('/', '/'), POLICY);
  await expect(missing.read('/x')).rejects.toThrow('The far side could not be reached: spawn /nonexistent/ssh ENOENT');
});
