import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { readProcessTable } from '../process/process-table.ts';
import { readGit, runGit } from './git.ts';
import { createTestRepository, type TestRepository } from './test-repository.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = createTestRepository();
});
afterEach(() => repository.dispose());

const here = () => ({ cwd: repository.root, env: repository.env, untrustedFolders: [] });

/** Returns arguments that make git run a script. */
const script = (text: string) => ['-c', `alias.script=!${text}`, 'script'];

test('the output of git and its exit code are returned', async () => {
  expect(await runGit(['symbolic-ref', 'HEAD'], here())).toEqual({
    exitCode: 0,
    stdout: 'refs/heads/main\n',
    stderr: '',
  });
  const failed = await runGit(['cat-file', '-t', 'nothing'], here());
  expect(failed.exitCode).toBe(128);
  expect(failed.stderr).toContain('nothing');
});

test('arguments are not read by a shell', async () => {
  expect(await readGit(['rev-parse', '--sq-quote', '$(touch made) ; `touch made`'], here())).toContain('$(touch made)');
  expect(existsSync(join(repository.root, 'made'))).toBe(false);
});

test('a failure has the message of git', async () => {
  await expect(readGit(['rev-parse', '--verify', 'nothing'], here())).rejects.toThrow(
    new UserError('unavailable', `git rev-parse failed in ${repository.root}: fatal: Needed a single revision`),
  );
});

test('only the first MiB of an output is kept', async () => {
  const { stdout, exitCode } = await runGit(script('head -c 3000000 /dev/zero | tr "\\\\0" x'), here());
  expect(exitCode).toBe(0);
  expect(stdout.length).toBe(1024 * 1024);
});

test('hooks and the file system monitor of a repository do not run', async () => {
  const trap = join(repository.folder, 'trap');
  writeFileSync(trap, `#!/bin/sh\ntouch ${repository.folder}/sprung\n`, { mode: 0o755 });
  repository.write('a.txt', 'a');
  repository.commit('First');
  repository.git('config', 'core.fsmonitor', trap);
  writeFileSync(join(repository.root, '.git/hooks/post-checkout'), readFileSync(trap), { mode: 0o755 });
  await readGit(['status', '--porcelain'], here());
  await readGit(['checkout', '--quiet', '--detach'], here());
  expect(existsSync(join(repository.folder, 'sprung'))).toBe(false);

  repository.git('checkout', '--quiet', 'main');
  expect(existsSync(join(repository.folder, 'sprung'))).toBe(true);
});

describe('the environment', () => {
  const variables = async (env: Record<string, string>) =>
    (await readGit(script('env'), { ...here(), env: { ...repository.env, ...env } })).split('\n');

  test('has no secrets, and asks nothing', async () => {
    const found = await variables({ OPENAI_API_KEY: 'sk-1', GIT_PAGER: 'less', EDITOR: 'vi' });
    expect(found.filter((line) => line.includes('sk-1'))).toEqual([]);
    expect(found).toEqual(expect.arrayContaining(['EDITOR=vi', 'GIT_PAGER=cat', 'GIT_TERMINAL_PROMPT=0']));
  });

  test('does not lead to another repository, even in a hook of it', async () => {
    const env = { ...repository.env, GIT_DIR: '/nowhere/.git', GIT_INDEX_FILE: '/nowhere/index', GIT_WORK_TREE: '/' };
    expect(await readGit(['rev-parse', '--show-toplevel'], { ...here(), env })).toBe(repository.root);
  });

  test('keeps settings for git', async () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'B' };
    const place = { ...here(), env: { ...repository.env, ...env } };
    expect(await readGit(['config', 'user.name'], place)).toBe('B');
  });
});

describe('git that does not start', () => {
  test('because it is not installed', async () => {
    const env = { PATH: repository.folder };
    await expect(runGit(['status'], { ...here(), env })).rejects.toThrow(
      new UserError(
        'unavailable',
        'git was not found in a folder of PATH that commands cannot write to. Install it, or add its folder to PATH.',
      ),
    );
  });

  test('because there is no such folder', async () => {
    const cwd = join(repository.root, 'gone');
    await expect(runGit(['status'], { ...here(), cwd })).rejects.toThrow(
      new UserError('not_found', `There is no folder ${cwd}.`),
    );
  });
});

describe('git that does not end', () => {
  test('is stopped after its time', async () => {
    await expect(runGit(script('sleep 600'), { ...here(), timeoutMs: 200 })).rejects.toThrow(
      new UserError('unavailable', `git -c in ${repository.root} took longer than 0.2 seconds and was stopped.`),
    );
  });

  test('is stopped by its signal, with everything it started, even processes that ignore signals', async () => {
    const file = join(repository.folder, 'pid');
    const interrupt = new AbortController();
    const stubborn = `trap "" TERM; echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 600; sleep 600`;
    const running = runGit(script(stubborn), { ...here(), signal: interrupt.signal, timeoutMs: 60_000 });
    const ended = expect(running).rejects.toThrow('enough');
    while (!existsSync(file)) await delay(10);
    const pid = Number(readFileSync(file, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    interrupt.abort(new Error('enough'));
    await ended;
    while (isAlive(pid)) await delay(10);
  });

  test('does not even start when its signal has aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(runGit(script(`touch ${repository.folder}/made`), { ...here(), signal })).rejects.toThrow('enough');
    expect(existsSync(join(repository.folder, 'made'))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  return readProcessTable()?.some((row) => row.pid === pid && !row.ended) ?? false;
}
