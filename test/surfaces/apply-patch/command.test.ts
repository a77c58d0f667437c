import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTree, readTree } from '../../../src/exec/files/test-tree.ts';
import { APPLY_PATCH, patchOf, runCommand } from './run-command.ts';

const OXBOW = join(import.meta.dirname, '../../../bin/oxbow');

describe('a patch is applied', () => {
  const patch = patchOf(
    '*** Update File: b/update.txt',
    '@@',
    '-old',
    '+new',
    '*** Delete File: delete.txt',
    '*** Add File: deep/er/add.txt',
    '+added',
    '*** Update File: move.txt',
    '*** Move to: moved/here.txt',
    '@@',
    '-a',
    '+b',
  );
  const files = { 'b/update.txt': 'old\n', 'delete.txt': 'x\n', 'move.txt': 'a\n' };
  const after = {
    'b/': '',
    'b/update.txt': 'new\n',
    'deep/': '',
    'deep/er/': '',
    'deep/er/add.txt': 'added\n',
    'moved/': '',
    'moved/here.txt': 'b\n',
  };
  const stdout =
    'Success. Updated the following files:\nA deep/er/add.txt\nM b/update.txt\nM moved/here.txt\nD delete.txt\n';

  test.each([
    ['an argument of oxbow apply-patch', OXBOW, ['apply-patch', patch], ''],
    ['standard input of oxbow apply-patch', OXBOW, ['apply-patch'], patch],
    ['an argument of apply_patch', APPLY_PATCH, [patch], ''],
    ['standard input of applypatch', APPLY_PATCH.replace('_', ''), [], patch],
  ])('that is %s', (_, program, args, stdin) => {
    const cwd = makeTree(files);
    expect(runCommand(program, { cwd, args, stdin })).toEqual({ code: 0, stdout, stderr: '' });
    expect(readTree(cwd)).toEqual(after);
  });

  test('that is piped in slowly', async () => {
    const cwd = makeTree(files);
    const child = spawn(APPLY_PATCH, [], { cwd });
    for (const line of patch.split(/(?<=\n)/)) {
      child.stdin.write(line);
      await new Promise((resolve) => setImmediate(resolve));
    }
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(readTree(cwd)).toEqual(after);
  });

  test('that is a unified diff', () => {
    const cwd = makeTree({ 'a.txt': 'one\ntwo\nthree\n' });
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
    expect(runCommand(APPLY_PATCH, { cwd, args: [diff] })).toMatchObject({ code: 0, stderr: '' });
    expect(readTree(cwd)).toEqual({ 'a.txt': 'one\n2\nthree\n' });
  });
});

describe('a failure', () => {
  test('keeps the changes made before it', () => {
    const cwd = makeTree({ 'b.txt': 'b\n' });
    const args = [patchOf('*** Add File: a.txt', '+a', '*** Delete File: missing', '*** Delete File: b.txt')];
    const stderr = `Failed to delete file ${cwd}/missing\n`;
    expect(runCommand(APPLY_PATCH, { cwd, args })).toEqual({ code: 1, stdout: '', stderr });
    expect(readTree(cwd)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  });

  test('names the closest match in the file', () => {
    const cwd = makeTree({ 'a.txt': 'first\nfunction go() {\n  return 1;\n}\n' });
    const args = [patchOf('*** Update File: a.txt', '@@', '-function go() {', '-  return 2;', '+x')];
    const { code, stderr } = runCommand(APPLY_PATCH, { cwd, args });
    expect(code).toBe(1);
    expect(stderr).toMatch(`Failed to find expected lines in ${cwd}/a.txt:\nfunction go() {\n  return 2;\n`);
    expect(stderr).toContain('The closest place is line 2');
  });

  test.each([
    [
      'of a text that is not a patch',
      'hello',
      1,
      "Invalid patch: The first line of the patch must be '*** Begin Patch'",
    ],
    ['of a patch without files', patchOf(), 1, 'No files were modified.'],
    [
      'of an unknown header',
      patchOf('*** Frob File: a'),
      1,
      "Invalid patch hunk on line 2: '*** Frob File: a' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'",
    ],
  ])('%s is reported in the words of Codex', (_, patch, code, said) => {
    const cwd = makeTree();
    expect(runCommand(APPLY_PATCH, { cwd, args: [patch] })).toEqual({ code, stdout: '', stderr: `${said}\n` });
  });

  test('of usage has its own exit code', () => {
    const cwd = makeTree();
    const usage = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n";
    expect(runCommand(APPLY_PATCH, { cwd })).toEqual({ code: 2, stdout: '', stderr: usage });
    const tooMany = 'Error: apply_patch accepts exactly one argument.\n';
    expect(runCommand(APPLY_PATCH, { cwd, args: ['a', 'b'] })).toEqual({ code: 2, stdout: '', stderr: tooMany });
  });

  test('is reported for bytes that are not UTF-8 text', () => {
    const cwd = makeTree({ binary: Buffer.from([0x61, 0xff, 0x0a]) });
    const stdin = Buffer.concat([Buffer.from('*** Begin Patch\n*** Add File: x\n+'), Buffer.from([0xff, 0x0a])]);
    const said = 'Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8\n';
    expect(runCommand(APPLY_PATCH, { cwd, stdin })).toEqual({ code: 1, stdout: '', stderr: said });
    const script = `"$0" "$(printf '*** Begin Patch\\n*** Add File: x\\n+\\377\\n*** End Patch')"`;
    expect(runCommand('sh', { cwd, args: ['-c', script, APPLY_PATCH] })).toMatchObject({
      code: 1,
      stderr: 'Error: apply_patch requires a UTF-8 PATCH argument.\n',
    });
    const args = [patchOf('*** Update File: binary', '@@', '-a', '+b')];
    expect(runCommand(APPLY_PATCH, { cwd, args })).toMatchObject({
      code: 1,
      stderr: `Failed to read file to update ${cwd}/binary: it is not UTF-8 text\n`,
    });
    expect(Object.keys(readTree(cwd))).toEqual(['binary']);
    const replacement = patchOf('*** Add File: x', '+\uFFFD');
    expect(runCommand(APPLY_PATCH, { cwd, args: [replacement] })).toMatchObject({ code: 0 });
  });
});

test('a file moved onto itself stays, and a moved file keeps its mode', () => {
  const cwd = makeTree({ script: 'a\n' });
  chmodSync(join(cwd, 'script'), 0o755);
  const move = (to: string) => patchOf('*** Update File: script', `*** Move to: ${to}`, '@@', ' a', '+b');
  expect(runCommand(APPLY_PATCH, { cwd, args: [move('./script')] })).toMatchObject({ code: 0 });
  expect(readTree(cwd)).toEqual({ script: 'a\nb\n' });
  expect(runCommand(APPLY_PATCH, { cwd, args: [move('bin/script')] })).toMatchObject({ code: 0 });
  expect(readTree(cwd)).toEqual({ 'bin/': '', 'bin/script': 'a\nb\nb\n' });
  expect(statSync(join(cwd, 'bin/script')).mode & 0o777).toBe(0o755);
});

test('links are followed, hard links see the change, and a byte order mark stays at the beginning', () => {
  const cwd = makeTree({ 'real.txt': '\uFEFFone\r\ntwo\r\n' });
  symlinkSync('real.txt', join(cwd, 'link'));
  linkSync(join(cwd, 'real.txt'), join(cwd, 'second'));
  const args = [patchOf('*** Update File: link', '@@', '-one', '+1')];
  expect(runCommand(APPLY_PATCH, { cwd, args })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'second'), 'utf8')).toBe('\uFEFF1\r\ntwo\r\n');
  expect(runCommand(APPLY_PATCH, { cwd, args: [patchOf('*** Delete File: link')] })).toMatchObject({ code: 0 });
  expect(Object.keys(readTree(cwd))).toEqual(['real.txt', 'second']);
});

test('the help has an example that works', () => {
  const cwd = makeTree();
  const { code, stdout } = runCommand(OXBOW, { cwd, args: ['apply-patch', '--help'] });
  expect(code).toBe(0);
  const example = stdout.split('Example:\n')[1]?.trim() ?? '';
  mkdirSync(join(cwd, 'bin'));
  symlinkSync(OXBOW, join(cwd, 'bin/oxbow'));
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}` };
  expect(runCommand('sh', { cwd, args: ['-c', example], env })).toMatchObject({ code: 0, stderr: '' });
  expect(readTree(cwd)).toMatchObject({ 'hello.txt': 'Hello\n' });
});

describe('apply_patch finds its installation', () => {
  const args = [patchOf('*** Add File: x', '+x')];

  test('through a link', () => {
    const cwd = makeTree();
    symlinkSync(APPLY_PATCH, join(cwd, 'patch'));
    expect(runCommand('./patch', { cwd, args })).toMatchObject({ code: 0, stderr: '' });
  });

  test('without OXBOW_NODE, or with one that does not exist', () => {
    const cwd = makeTree();
    expect(runCommand(APPLY_PATCH, { cwd, args, env: { OXBOW_NODE: '' } })).toMatchObject({ code: 0, stderr: '' });
    expect(runCommand(APPLY_PATCH, { cwd, args, env: { OXBOW_NODE: '/nowhere' } })).toMatchObject({ code: 0 });
  });

  test('without Node on the path', () => {
    const cwd = makeTree();
    copyFileSync('/bin/sh', join(cwd, 'sh'));
    expect(runCommand(APPLY_PATCH, { cwd, args, env: { PATH: cwd } })).toMatchObject({ code: 0, stderr: '' });
  });
});
