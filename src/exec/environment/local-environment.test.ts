import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFull } from '../../../test/harness/runs.ts';
import { LIVE_OUTPUT_LIMIT } from '../output/live-output.ts';
import {
  KEEP_ALL,
  neverAborted,
  openScript,
  PATH,
  realWorld,
  runScript,
  type TestEnvironment,
  testEnvironment,
} from './test-environment.ts';

let environment: TestEnvironment;
beforeEach(() => {
  environment = testEnvironment();
});
const folders: string[] = [];
afterEach(async () => {
  await environment.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
  folders.push(folder);
  return folder;
}

/** Returns a script that waits until the test has created a file. */
function waitForFile(folder: string, name: string): string {
  return `until [ -e ${folder}/${name} ]; do sleep 0.02; done`;
}

const isLinux = process.platform === 'linux';

describe('output', () => {
  test('has the text of the command and its exit code', async () => {
    expect(await runScript(environment, 'echo hello; exit 3')).toEqual({ text: 'hello\n', exitCode: 3 });
  });

  test.skipIf(!isLinux)('keeps the order of stdout and stderr', async () => {
    const { text } = await runScript(environment, 'for i in 1 2 3 4 5 6; do echo out$i; echo err$i >&2; done');
    expect(text).toBe([1, 2, 3, 4, 5, 6].map((n) => `out${n}\nerr${n}\n`).join(''));
  });

  test.skipIf(!isLinux)('can be opened again by name, as scripts do with /dev/stderr', async () => {
    const { text, exitCode } = await runScript(environment, 'echo a > /dev/stderr && echo b | tee /dev/stdout');
    expect({ text, exitCode }).toEqual({ text: 'a\nb\nb\n', exitCode: 0 });
  });

  test('of both streams arrives where named pipes cannot be made', async () => {
    await environment.close();
    environment = testEnvironment({ baseEnv: { PATH, TMPDIR: '/nonexistent' } });
    const { text, exitCode } = await runScript(environment, 'echo out; echo err >&2; exit 4');
    expect(text.split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(exitCode).toBe(4);
  });

  test('is decoded with replacement characters where it is not UTF-8', async () => {
    const { text } = await runScript(environment, String.raw`printf 'a\xff\xfeb\xe2\x82'`);
    expect(text).toBe('a\ufffd\ufffdb\ufffd');
  });

  test('does not split a character between two readings', async () => {
    const folder = temporaryFolder();
    const script = String.raw`printf 'x\xe2\x82'; ${waitForFile(folder, 'go')}; printf '\xac!'`;
    const { terminal, live, exits } = await openScript(environment, script);
    let text = '';
    while (text === '') ({ text } = await terminal.collect(20, neverAborted));
    expect(text).toBe('x');
    writeFileSync(join(folder, 'go'), '');
    const last = await terminal.collect(20_000, neverAborted);
    expect(last).toMatchObject({ text: '€!', exitCode: 0 });
    expect(live.join('')).toBe('x€!');
    expect(exits[0]?.output).toBe('x€!');
  });

  // Several times the memory that it may take.
  const bytes = isFull() ? 1_000_000_000 : 300_000_000;

  test(`of ${bytes} bytes passes in bounded memory, with its start and its end`, async () => {
    const script = `echo first; head -c ${bytes} /dev/zero | tr '\\0' x; echo last`;
    const before = process.memoryUsage.rss();
    const { terminal, live, exits } = await openScript(environment, script);
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const { text, exitCode } = await terminal.collect(60_000, neverAborted);
    clearInterval(watch);
    expect(exitCode).toBe(0);
    expect(text.startsWith('first\nxxx')).toBe(true);
    expect(text.endsWith('xlast\n')).toBe(true);
    expect(text).toContain(`\n... ${bytes + 11 - 1024 * 1024} bytes omitted ...\n`);
    expect(text.length).toBeLessThan(1024 * 1024 + 100);
    expect(exits[0]?.output).toBe(text);
    expect(live.join('')).toHaveLength(LIVE_OUTPUT_LIMIT);
    expect(Math.max(peak, process.memoryUsage.rss()) - before).toBeLessThan(100_000_000);
  }, 60_000);
});

describe('a terminal', () => {
  test('returns the new output each time, then the exit code, and is forgotten', async () => {
    const folder = temporaryFolder();
    const { terminal, exits } = await openScript(
      environment,
      `echo one; ${waitForFile(folder, 'go')}; echo two; exit 7`,
    );
    let first = await terminal.collect(0, neverAborted);
    while (first.text === '') first = await terminal.collect(10, neverAborted);
    expect(first).toMatchObject({ text: 'one\n', exitCode: null });
    expect(environment.terminal(terminal.id)).toBe(terminal);
    writeFileSync(join(folder, 'go'), '');
    expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ text: 'two\n', exitCode: 7 });
    expect(environment.terminal(terminal.id)).toBeUndefined();
    expect(exits).toEqual([{ exitCode: 7, durationMs: expect.any(Number), output: 'one\ntwo\n' }]);
  });

  test('has an id from 1000 to 99999 that no other has', async () => {
    await environment.close();
    environment = testEnvironment({ world: { ...realWorld, random: () => 0.999999 } });
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await openScript(environment, 'sleep 30')).terminal.id);
    expect(ids).toEqual([99_999, 1000, 1001]);
  });

  test('whose process was ended by signal n has the exit code 128 + n', async () => {
    expect((await runScript(environment, 'kill -TERM $$')).exitCode).toBe(143);
    expect((await runScript(environment, 'kill -KILL $$')).exitCode).toBe(137);
  });

  test('interrupts the process group on Ctrl-C', async () => {
    const { terminal } = await openScript(environment, 'sleep 60 | sleep 60');
    await terminal.write('\u0003');
    expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ exitCode: 130 });
  });

  test('refuses any other input', async () => {
    const { terminal } = await openScript(environment, 'sleep 60');
    await expect(terminal.write('yes\n')).rejects.toMatchObject({
      name: 'ToolFailure',
      kind: 'execution',
      message: 'stdin is closed for this session; rerun exec_command with tty=true to keep stdin open',
    });
  });

  test('has an empty input', async () => {
    expect(await runScript(environment, 'cat; [ /dev/stdin -ef /dev/null ] && echo null')).toMatchObject({
      text: 'null\n',
    });
  });

  test('ends although a process in the background holds its output', async () => {
    const { terminal, exits } = await openScript(environment, 'sleep 60 & echo started');
    expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ text: 'started\n', exitCode: 0 });
    expect(exits).toHaveLength(1);
  });

  test('does not break a process in the background that prints later', async () => {
    const folder = temporaryFolder();
    await runScript(environment, `(${waitForFile(folder, 'go')}; echo late && touch ${folder}/done) &`);
    writeFileSync(join(folder, 'go'), '');
    expect((await runScript(environment, waitForFile(folder, 'done'))).exitCode).toBe(0);
  });

  test('stops waiting when the signal aborts, and loses nothing by it', async () => {
    const { terminal, live } = await openScript(environment, 'echo kept; sleep 60');
    while (live.length === 0) await setImmediate();
    const controller = new AbortController();
    const collected = terminal.collect(20_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(collected).rejects.toThrow('stop');
    await terminal.kill();
    expect(await terminal.collect(0, neverAborted)).toMatchObject({ text: 'kept\n', exitCode: 137 });
  });

  test('passes output on while the process runs', async () => {
    const { live } = await openScript(environment, 'echo early; sleep 60');
    while (live.length === 0) await setImmediate();
    expect(live).toEqual(['early\n']);
  });
});

describe('starting', () => {
  const failure = (message: string) => ({
    name: 'ToolFailure',
    kind: 'execution',
    message: `Failed to create unified exec process: ${message}`,
  });

  test('fails with the reason of the system when the working directory is missing', async () => {
    await expect(openScript(environment, 'true', { cwd: '/nonexistent' })).rejects.toMatchObject(
      failure('No such file or directory (os error 2)'),
    );
  });

  test('fails with the reason of the system when the working directory is a file', async () => {
    await expect(openScript(environment, 'true', { cwd: '/etc/passwd' })).rejects.toMatchObject(
      failure('Not a directory (os error 20)'),
    );
  });

  test('fails with a sentence when the command cannot be an argument', async () => {
    await expect(openScript(environment, 'echo \0')).rejects.toMatchObject({ name: 'ToolFailure', kind: 'execution' });
  });

  test('works again and again', async () => {
    for (let n = 0; n < 30; n++)
      expect(await runScript(environment, `echo ${n}`)).toEqual({ text: `${n}\n`, exitCode: 0 });
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, n) => runScript(environment, `echo ${n}; sleep 0.1`)),
    );
    expect(many.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}\n`));
  });
});

describe('the environment of a command', () => {
  test('lacks secrets and has the variables of every command', async () => {
    await environment.close();
    environment = testEnvironment({
      baseEnv: { PATH, MY_API_KEY: 'x', github_token: 'x', DB_SECRET_1: 'x', HARMLESS: 'y' },
      environmentPolicy: { ...KEEP_ALL, ignoreDefaultExcludes: false },
    });
    const { text } = await runScript(environment, 'env');
    expect(text).not.toMatch(/KEY|token|SECRET/);
    expect(text).toContain('HARMLESS=y\n');
    expect(text).toContain('CODEX_TOOL_CALL_ID=call_1\n');
  });

  test('comes from the login shell on request, whose profile runs once', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, '.bash_profile'), 'echo noise; echo run >> "$HOME/runs"; export FROM_PROFILE="a\nb"');
    await environment.close();
    environment = testEnvironment({ baseEnv: { PATH, HOME: home } });
    environment.prepare(environment.policy);
    environment.prepare(environment.policy);
    const script = 'echo "$FROM_PROFILE"; cat "$HOME/runs"; shopt -q login_shell || echo plain';
    expect((await runScript(environment, script, { login: true })).text).toBe('a\nb\nrun\nplain\n');
    expect((await runScript(environment, script, { login: true })).text).toBe('a\nb\nrun\nplain\n');
    expect((await runScript(environment, script)).text).toBe('\nrun\nplain\n');
  });
});
