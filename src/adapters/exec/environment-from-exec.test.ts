import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandAction } from '../../base/action.ts';
import type { Files } from '../../base/environment.ts';
import { type ExecEnvironmentOptions, environmentFromExec } from './environment-from-exec.ts';

const POLICY = { mode: 'danger-full-access', writableRoots: [], network: true } as const;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'oxbow-far-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function open(options: Partial<ExecEnvironmentOptions> = {}) {
  const environment = environmentFromExec({ exec: ([program = '', ...args]) => spawn(program, args), ...options })({
    cwd: '/',
  });
  onTestFinished(() => environment.close());
  return environment;
}

async function output(options: Partial<ExecEnvironmentOptions>, more: Partial<CommandAction>): Promise<string> {
  const action: CommandAction = {
    kind: 'command',
    argv: [],
    cwd: '/',
    login: false,
    escalate: false,
    yieldMs: 1,
    ...more,
  };
  const ignored = () => undefined;
  const terminal = await open(options).open(action, {
    callId: 'call',
    policy: POLICY,
    sandboxed: false,
    onOutput: ignored,
    onExit: ignored,
  });
  return (await terminal.collect(20_000, new AbortController().signal)).text;
}

/** Returns the path of a shell that prints its arguments. */
function loudShell(): string {
  const path = join(folder(), 'sh');
  writeFileSync(path, '#!/bin/sh\necho "$@"\n');
  chmodSync(path, 0o755);
  return path;
}

test('a shell that the far side lacks is replaced, and another program is not', async () => {
  expect(await output({}, { argv: ['/nowhere/zsh', '-c', 'echo hello'] })).toBe('hello\n');
  expect(await output({}, { argv: ['/nowhere/make', '-c', 'echo hello'] })).not.toContain('hello\n');
});

test('the shell of the options runs every command, with a profile only if both sides want it', async () => {
  const shell = loudShell();
  expect(await output({ shell }, { argv: ['/bin/sh', '-c', 'x'] })).toBe('-c x\n');
  expect(await output({ shell }, { argv: ['/bin/sh', '-c', 'x'], login: true })).toBe('-lc x\n');
  expect(await output({ shell, login: false }, { argv: ['/bin/sh', '-c', 'x'], login: true })).toBe('-c x\n');
  expect(await output({ shell }, { argv: ['echo', '-c', 'x'] })).toBe('-c x\n');
});

test('other files take the place of those of the shell', () => {
  const files = {} as Files;
  expect(open({ files: () => files }).files(POLICY)).toBe(files);
});

test('a greeting of the far side is no output', async () => {
  const exec: ExecEnvironmentOptions['exec'] = (argv) =>
    spawn('/bin/sh', ['-c', 'echo Welcome; exec "$@"', 'sh', ...argv]);
  expect(await output({ exec }, { argv: ['echo', 'hello'] })).toBe('hello\n');
});

test('a lost connection is the end of a command', async () => {
  const exec: ExecEnvironmentOptions['exec'] = ([program = '', ...args]) => {
    const child = spawn(program, args);
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 50));
    return child;
  };
  expect(await output({ exec }, { argv: ['sleep', '20'] })).toContain('The connection to the command was lost');
});
