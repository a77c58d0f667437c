import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SandboxPolicy } from '../../base/policy.ts';
import { readProcessTable } from '../process/process-table.ts';
import {
  neverAborted,
  openScript,
  runScript,
  type TestEnvironment,
  testEnvironment,
  until,
} from './test-environment.ts';

const canWait = existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/perl');

/** Prints whether the sandbox was started without a command: its command line then ends before one. */
const LAUNCHED = `tr '\\0' '\\n' < /proc/1/cmdline | awk '{ last = $0 } END { print last == "--" ? "waited" : "started" }'`;

describe.skipIf(!canWait)('a spare sandbox', () => {
  let base: string;
  let root: string;
  let environment: TestEnvironment;

  beforeEach(() => {
    base = mkdtempSync('/var/tmp/oxbow-test-');
    root = join(base, 'root');
    mkdirSync(join(root, '.git'), { recursive: true });
    environment = testEnvironment({ policy: { mode: 'workspace-write', writableRoots: [root], network: false } });
  });

  afterEach(async () => {
    await environment.close();
    await vi.waitFor(() => expect(waitingProcesses()).toEqual([]), { timeout: 5000 });
    rmSync(base, { recursive: true });
  });

  const run = (script: string, policy: Partial<SandboxPolicy> = {}) =>
    runScript({ ...environment, policy: { ...environment.policy, ...policy } }, script, { cwd: root });

  /** Waits until a spare runs: a process below ours that waits for its command. */
  const spareRuns = () => vi.waitFor(() => expect(waitingProcesses()).not.toEqual([]), { timeout: 5000 });

  /** Kills the processes that wait, and again those that were just being started. */
  const endSpare = () =>
    vi.waitFor(
      () => {
        const waiting = waitingProcesses();
        for (const pid of waiting) process.kill(pid, 'SIGKILL');
        expect(waiting).toEqual([]);
      },
      { timeout: 5000 },
    );

  test('becomes the next command, with its folder, variables, output and exit code', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    const { text, exitCode } = await run(
      `${LAUNCHED}; pwd; echo $OXBOW_THREAD_ID$CODEX_THREAD_ID; cat; echo err >&2; exit 3`,
    );
    expect(text).toMatch(/^waited\n/);
    expect(text).toContain(`${root}\nthread`);
    expect(text).toMatch(/err\n$/);
    expect(exitCode).toBe(3);
    await spareRuns();
    expect((await run(LAUNCHED)).text).toContain('waited');
  });

  test('is as strict as any other', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    const { text } = await run(
      `${LAUNCHED}; touch .git/x ../x /usr/x; touch ok; mkdir .oxbow; ls /proc/self/fd | wc -l`,
    );
    expect(text).toContain('waited');
    expect(text.match(/Read-only file system/g)?.length).toBe(3);
    // The three standard streams, and the folder that ls reads.
    expect(text).toMatch(/\n4\n$/);
    expect(existsSync(join(root, 'ok'))).toBe(true);
  });

  test('is not used for another policy, or where another folder took the place of a root', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    expect((await run(LAUNCHED, { mode: 'read-only' })).text).toBe('started\n');
    await spareRuns();
    renameSync(root, join(base, 'old'));
    mkdirSync(root);
    await run('echo new > file');
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('new\n');
  });

  test('is no limit for a command that is larger than its pipe', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    expect((await run(`text=${'x'.repeat(120_000)}; echo ${'$'}{#text}`)).text).toBe('120000\n');
  });

  test('that was killed is not used', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    await endSpare();
    await delay(20);
    expect((await run('echo runs')).text).toBe('runs\n');
  });

  test('can be interrupted and killed when it has become a command', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    const first = await openScript(
      environment,
      `trap 'echo caught; exit 5' INT; ${LAUNCHED}; while :; do sleep 0.05; done`,
    );
    expect(await until(first.terminal, '\n')).toContain('waited');
    await first.terminal.write('\u0003');
    expect(await first.terminal.collect(5000, neverAborted)).toMatchObject({ text: 'caught\n', exitCode: 5 });
    await spareRuns();
    const second = await openScript(environment, `${LAUNCHED}; (setsid sleep 100 &); trap '' TERM; sleep 100`);
    expect(await until(second.terminal, '\n')).toContain('waited');
    await second.terminal.kill();
    await vi.waitFor(() => expect(second.exits).toHaveLength(1), 20_000);
  });

  test('ends when no command is expected, and removes its traces', async () => {
    environment.prepare(environment.policy);
    await spareRuns();
    expect(existsSync(join(root, '.oxbow'))).toBe(true);
    environment.rest();
    await vi.waitFor(() => expect(waitingProcesses()).toEqual([]), { timeout: 5000 });
    await vi.waitFor(() => expect(existsSync(join(root, '.oxbow'))).toBe(false), { timeout: 5000 });
  });
});

/** Returns the processes below ours that run perl in a sandbox and wait. */
function waitingProcesses(): number[] {
  const rows = readProcessTable() ?? [];
  const isOurs = (pid: number): boolean => {
    const row = rows.find((candidate) => candidate.pid === pid);
    return row !== undefined && (row.parent === process.pid || isOurs(row.parent));
  };
  return rows.filter(({ pid, ended }) => !ended && isOurs(pid) && isWaiting(pid)).map(({ pid }) => pid);
}

function isWaiting(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').match(/^\/usr\/bin\/perl\0-e\0[^\0]*\0--\0$/) !== null;
  } catch {
    return false;
  }
}
