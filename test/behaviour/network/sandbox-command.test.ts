import { spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { canBecomeOrdinary, createOrdinaryUser, type OrdinaryUser } from './ordinary-user.ts';

const hasBubblewrap = existsSync('/usr/bin/bwrap');
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const PROGRAM = fileURLToPath(new URL('../../../bin/oxbow', import.meta.url));

async function workspace() {
  return (await scene([])).workspace;
}

async function sandbox(args: readonly string[], stdin?: string) {
  return runOxbow(['sandbox', ...args], { workspace: await workspace(), ...(stdin === undefined ? {} : { stdin }) });
}

describe('wrong usage', () => {
  test.each([
    [[], 2, 'Name a command: oxbow sandbox -- COMMAND.'],
    [['--mode', 'open', '--', 'true'], 2, '--mode takes read-only, workspace-write or danger-full-access, not "open".'],
    [['--what', '--', 'true'], 2, "Unknown option '--what'"],
    [['--', 'no-such-command'], 127, 'There is no command no-such-command.'],
    [['--', '/etc/passwd'], 126, '/etc/passwd cannot be executed.'],
    [['-c', 'sandbox_mode=5', '--', 'true'], 125, 'sandbox_mode must be one of'],
  ])('%j exits with %i', async (args, code, message) => {
    const result = await sandbox(args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(result.stdout).toBe('');
  });

  test('the help has an example', async () => {
    const { code, stdout } = await sandbox(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Example:\n  oxbow sandbox');
  });
});

describe.skipIf(!hasBubblewrap)('a command in the sandbox', () => {
  test('passes its input, output, errors and exit code on', async () => {
    const script = 'cat; echo out; echo err >&2; exit 7';
    expect(await sandbox(['--', 'bash', '-c', script], 'in\n')).toMatchObject({
      code: 7,
      stdout: 'in\nout\n',
      stderr: 'err\n',
    });
  });

  test('may open its input and output by name, even when nothing is left to read', async () => {
    const script = 'cat /dev/stdin; cat /dev/stdin; echo out > /dev/stdout; echo err > /dev/stderr';
    expect(await sandbox(['--', 'bash', '-c', script], 'in\n')).toMatchObject({
      code: 0,
      stdout: 'in\nout\n',
      stderr: 'err\n',
    });
  });

  test('loses no output, however long, and ends when its reader is gone', async () => {
    const { stdout } = await sandbox(['--', 'seq', '1', '200000']);
    expect(stdout.endsWith('\n199999\n200000\n')).toBe(true);
    const box = await workspace();
    const program = await startOxbow(['sandbox', '--', 'yes'], { workspace: box });
    program.stopReading();
    const { marker } = await program.wait();
    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), 20_000);
  });

  test('is read-only when the folder is not trusted, and writes when the mode allows it', async () => {
    const box = await workspace();
    const run = (...flags: string[]) => runOxbow(['sandbox', ...flags, '--', 'touch', 'file'], { workspace: box });
    expect((await run()).code).not.toBe(0);
    expect(existsSync(box.file('file'))).toBe(false);
    expect((await run('--mode', 'workspace-write')).code).toBe(0);
    expect(existsSync(box.file('file'))).toBe(true);
  });

  test('writes to --add-dir and not next to it', async () => {
    const box = await workspace();
    const flags = ['-c', 'sandbox_workspace_write.exclude_slash_tmp=true', '-s', 'workspace-write'];
    const more = `${box.home}/more`;
    spawnSync('mkdir', [more]);
    const run = (target: string) =>
      runOxbow(['sandbox', ...flags, '--add-dir', more, '--', 'touch', target], { workspace: box });
    expect((await run(`${more}/a`)).code).toBe(0);
    expect((await run(`${box.home}/b`)).code).not.toBe(0);
  });

  test('gets neither secrets nor the network', async () => {
    const box = await workspace();
    const script = 'env; exec 3<>/dev/tcp/1.1.1.1/80';
    const { code, stdout } = await runOxbow(['sandbox', '--', 'bash', '-c', script], {
      workspace: box,
      env: { MY_SECRET: 's3cret', PLAIN: 'plain' },
    });
    expect(code).not.toBe(0);
    expect(stdout).toContain('PLAIN=plain');
    expect(stdout).toContain('CODEX_SANDBOX_NETWORK_DISABLED=1');
    expect(stdout).not.toContain('s3cret');
    expect(stdout).not.toContain('scripted-key');
  });

  test('cannot reach the files behind its input and output by reopening them', async () => {
    const box = await workspace();
    const [input, output] = [box.write('input', 'first'), box.write('output', 'before\n')];
    const attack = 'echo changed > /proc/self/fd/0; timeout 1 cat /proc/self/fd/1; : > /proc/self/fd/1; echo said';
    const child = spawn(process.execPath, [PROGRAM, 'sandbox', '--', 'bash', '-c', attack], {
      cwd: box.path,
      env: { PATH: process.env.PATH ?? '', HOME: box.home, OXBOW_HOME: box.home },
      stdio: [openSync(input, 'r'), openSync(output, 'a'), 'ignore'],
    });
    await new Promise((done) => child.once('close', done));
    expect(readFileSync(input, 'utf8')).toBe('first');
    expect(readFileSync(output, 'utf8')).toBe('before\nsaid\n');
  });

  /** Starts a script and waits until it prints that it is up. */
  async function startScript(script: string) {
    const box = await workspace();
    const args = ['sandbox', '--mode', 'workspace-write', '--', 'bash', '-c', script];
    const program = await startOxbow(args, { workspace: box });
    await vi.waitFor(() => expect(existsSync(box.file('up'))).toBe(true), { timeout: 20_000 });
    return { program, left: () => [...processesWith(program.marker), ...processesWith(box.path)] };
  }

  test('gets signals that are passed on, and leaves nothing behind', async () => {
    const { program, left } = await startScript(
      `trap 'echo caught; exit 3' TERM; (setsid sleep 500 &); touch up; while :; do sleep 0.05; done`,
    );
    expect(left().length).toBeGreaterThan(2);
    program.kill('SIGTERM');
    expect(await program.wait()).toMatchObject({ code: 3, stdout: 'caught\n' });
    await vi.waitFor(() => expect(left()).toEqual([]), 20_000);
  });

  test('that ignores a signal is ended by the second', async () => {
    const { program, left } = await startScript(`trap '' TERM; touch up; while :; do sleep 0.05; done`);
    program.kill('SIGTERM');
    program.kill('SIGTERM');
    // Two signals that arrive together may count as one.
    const again = setInterval(() => program.kill('SIGTERM'), 200);
    expect(await program.wait()).toMatchObject({ code: 137 });
    clearInterval(again);
    await vi.waitFor(() => expect(left()).toEqual([]), 20_000);
  });

  test('ends with the program, however the program ends', async () => {
    const { program, left } = await startScript('touch up; (setsid sleep 500 &); sleep 500');
    program.kill('SIGKILL');
    await program.wait();
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 20_000 });
  });

  test('has no sandbox in full access', async () => {
    const box = await workspace();
    const { code } = await runOxbow(['sandbox', '--mode', 'danger-full-access', '--', 'touch', `${box.home}/x`], {
      workspace: box,
    });
    expect(code).toBe(0);
    expect(existsSync(`${box.home}/x`)).toBe(true);
  });
});

describe.skipIf(!hasBubblewrap || !hasCurl)('allowed domains', () => {
  const ADDRESS = '127.0.0.2';
  let origin: Server;
  let url: string;
  let user: OrdinaryUser | undefined;

  beforeEach(async () => {
    origin = createServer((_, answer) => answer.end('hello'));
    await new Promise<void>((done) => origin.listen(0, ADDRESS, done));
    url = `http://${ADDRESS}:${(origin.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    origin.close();
    origin.closeAllConnections();
    user?.dispose();
    user = undefined;
  });

  test('are reached, others refused, by the flag and by the setting', async () => {
    const flags = [
      ['--allow-domain', ADDRESS],
      ['-c', `sandbox_workspace_write.allowed_domains=["${ADDRESS}"]`],
    ];
    for (const flag of flags) {
      const { code, stdout, stderr } = await sandbox([
        ...flag,
        '--',
        'bash',
        '-c',
        `curl -sS ${url} && curl -sS https://evil.test`,
      ]);
      expect({ code, stdout }).toEqual({ code: 56, stdout: 'hello' });
      expect(stderr).toContain('Refused: evil.test. --allow-domain HOST allows one.');
    }
  });

  test('are all that can be reached: without them the same hosts are out of reach', async () => {
    expect((await sandbox(['--', 'curl', '-sS', '-m', '5', url])).code).not.toBe(0);
    const around = await sandbox(['--allow-domain', ADDRESS, '--', 'curl', '-sS', '-m', '5', '--noproxy', '*', url]);
    expect(around.code).not.toBe(0);
  });

  test('leave no process behind', async () => {
    const { marker } = await sandbox(['--allow-domain', ADDRESS, '--', 'curl', '-sS', url]);
    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), 20_000);
  });

  test.skipIf(!canBecomeOrdinary)('work for an ordinary user', async () => {
    user = createOrdinaryUser();
    const script = `id -u; curl -sS ${url}; curl -sS http://evil.test/`;
    const child = await user.oxbow(['sandbox', '--allow-domain', ADDRESS, '--', 'bash', '-c', script]);
    expect(child.stdout).toMatch(/^1999\nhelloThe sandbox refused this connection: evil.test is not among/);
  });
});
