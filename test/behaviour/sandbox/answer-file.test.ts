import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { BACKENDS } from './backends.ts';

const CONFIG = { sandbox_mode: 'workspace-write', sandbox_workspace_write: { exclude_slash_tmp: true } };

/** Starts a scene with a command and an answer, and a file outside the workspace. */
async function sceneWith(command: string): Promise<Scene & { readonly outside: string }> {
  const s = await scene([reply(call('exec_command', { cmd: command })), reply(say('the answer'))]);
  const outside = join(s.workspace.home, 'profile');
  writeFileSync(outside, 'original');
  return { ...s, outside };
}

describe.each(BACKENDS)('the file of -o under %s', (_, wrap) => {
  test.each([
    ['replaced by a link', 'ln -sf "$HOME/profile" answer.txt'],
    ['deleted, and its folder replaced by a link', 'rm -r out; ln -s "$HOME" out'],
    ['replaced by a file', 'rm answer.txt out/profile; echo mine > answer.txt; echo mine > out/profile'],
  ])('that was %s is not written to', async (what, command) => {
    const s = await sceneWith(command);
    mkdirSync(join(s.workspace.path, 'out'));
    const file = what.includes('folder') ? 'out/profile' : 'answer.txt';
    const result = await runOxbow(['exec', '-o', file, 'go'], { ...s, wrap, config: CONFIG });
    expect(readFileSync(s.outside, 'utf8')).toBe('original');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`${join(s.workspace.path, file)} was moved, deleted or replaced during the run`);
    expect(result.stdout).toBe('the answer\n');
  });

  test('gets the answer if a command only wrote to it', async () => {
    const s = await sceneWith('echo a longer text than the answer > answer.txt');
    const result = await runOxbow(['exec', '-o', 'answer.txt', 'go'], { ...s, wrap, config: CONFIG });
    expect([result.code, s.workspace.read('answer.txt')]).toEqual([0, 'the answer']);
  });
});

describe('the file of -o', () => {
  let s: Scene & { readonly outside: string };
  const exec = (file: string) => runOxbow(['exec', '-o', file, 'go'], { ...s, config: CONFIG });
  beforeEach(async () => {
    s = await sceneWith('true');
  });

  test('that an earlier command made a link out of the workspace ends the run before the first request', async () => {
    symlinkSync(s.outside, join(s.workspace.path, 'answer.txt'));
    symlinkSync(join(s.workspace.home, 'new'), join(s.workspace.path, 'new.txt'));
    symlinkSync(s.workspace.home, join(s.workspace.path, 'out'));
    for (const file of ['answer.txt', 'new.txt', 'out/profile', 'out/new']) {
      const result = await exec(file);
      expect([result.code, result.stdout]).toEqual([1, '']);
      expect(result.stderr).toContain('through a link in a folder that commands can write to');
    }
    expect(s.model.requests).toEqual([]);
    expect(readFileSync(s.outside, 'utf8')).toBe('original');
    expect(existsSync(join(s.workspace.home, 'new'))).toBe(false);
  });

  test('that cannot be written to ends the run before the first request', async () => {
    for (const file of ['.', 'missing/answer.txt']) {
      const result = await exec(file);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(`The final answer cannot be written to ${join(s.workspace.path, file)}`);
    }
    expect(s.model.requests).toEqual([]);
  });

  test('may be a link to another file of the workspace, a file elsewhere, or standard output', async () => {
    writeFileSync(join(s.workspace.path, 'real.txt'), 'a text from before');
    symlinkSync('real.txt', join(s.workspace.path, 'answer.txt'));
    expect((await exec('answer.txt')).code).toBe(0);
    expect(s.workspace.read('real.txt')).toBe('the answer');
    s = await sceneWith('true');
    expect((await exec(s.outside)).code).toBe(0);
    expect(readFileSync(s.outside, 'utf8')).toBe('the answer');
    s = await sceneWith('true');
    const wrap = ['/bin/sh', '-c', '"$0" "$@" | cat'];
    const piped = await runOxbow(['exec', '-o', '/dev/stdout', 'go'], { ...s, wrap, config: CONFIG });
    expect(piped.stdout.match(/the answer/g)).toHaveLength(2);
  });
});
