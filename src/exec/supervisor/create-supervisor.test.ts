import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSupervision } from './create-supervision.ts';
import { createSupervisor, type Supervisor } from './create-supervisor.ts';

const PERL = '/usr/bin/perl';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function start(supervisor: Supervisor, script: string, more: { cwd?: string; program?: string } = {}) {
  const path = join(folder, 'output');
  const output = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  const ends: number[] = [];
  const env = { PATH: '/usr/bin:/bin', A: 'one\ntwo=2' };
  const argv = [more.program ?? '/bin/sh', '-c', script];
  try {
    const command = await supervisor.start(
      { argv, cwd: more.cwd ?? folder, env, confine: [], output, isTerminal: false },
      (code) => {
        ends.push(code);
      },
    );
    return { command, ends, ended: () => vi.waitFor(() => expect(ends).toHaveLength(1), 10_000), path };
  } finally {
    closeSync(output);
  }
}

const isThere = (pid: number) => existsSync(`/proc/${pid}`);

describe.skipIf(process.platform !== 'linux' || !existsSync(PERL))('a supervisor', () => {
  let supervisor: Supervisor;
  beforeEach(async () => {
    const made = await createSupervisor(PERL);
    if (made === undefined) throw new Error('there is no supervisor');
    supervisor = made;
  });
  afterEach(async () => {
    supervisor.closeSync();
    await supervisor.gone;
  });

  test('starts a command with its variables, folder and output, and reports its exit code', async () => {
    const { ended, ends, path } = await start(supervisor, 'pwd; echo "$A" >&2; env | wc -l; exit 7');
    await ended();
    expect(ends).toEqual([7]);
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^${folder}\none\ntwo=2\n`));
  });

  test('reports the signal that ended a command', async () => {
    const { ended, ends } = await start(supervisor, 'kill -9 $$');
    await ended();
    expect(ends).toEqual([137]);
  });

  test('starts a command in its own session, with nothing inherited', async () => {
    const { ended, path } = await start(supervisor, 'echo $$ $(cut -d" " -f5,6 /proc/$$/stat); ls /proc/$$/fd');
    await ended();
    const [first = '', ...descriptors] = readFileSync(path, 'utf8').trim().split('\n');
    const [pid, group, session] = first.split(' ');
    expect([group, session]).toEqual([pid, pid]);
    expect(descriptors).toEqual(['0', '1', '2']);
  });

  test.each([
    [{ program: '/nonexistent' }, -2],
    [{ cwd: '/nonexistent' }, -2],
    [{ cwd: '/etc/passwd' }, -20],
    [{ program: '/etc/passwd' }, -13],
  ])('reports why it cannot start %j', async (more, errno) => {
    await expect(start(supervisor, 'true', more)).rejects.toMatchObject({ errno });
  });

  test('refuses a string that could be read as two', async () => {
    await expect(start(supervisor, 'true\0x')).rejects.toMatchObject({ name: 'ToolFailure' });
    const { ended, ends } = await start(supervisor, 'true');
    await ended();
    expect(ends).toEqual([0]);
  });

  test('runs many at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => start(supervisor, `sleep 0.0${n}; exit ${n}`)));
    await Promise.all(all.map(({ ended }) => ended()));
    expect(all.map(({ ends }) => ends[0])).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test('keeps processes that outlive their command until it is closed', async () => {
    const { ended, path } = await start(supervisor, 'setsid sleep 300 & echo $!');
    await ended();
    const pid = Number(readFileSync(path, 'utf8'));
    expect(isThere(pid)).toBe(true);
    supervisor.closeSync();
    await supervisor.gone;
    expect(isThere(pid)).toBe(false);
    expect(supervisor.isUsable()).toBe(false);
  });

  test('ends its commands when it is killed, and another replaces it', async () => {
    const supervision = createSupervision(PERL);
    const first = await supervision.get();
    if (first === undefined) throw new Error('there is no supervisor');
    const { command, ended, ends } = await start(first, 'sleep 300');
    const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${command.supervisor}/stat`, 'utf8'))?.[1]);
    process.kill(parent, 'SIGKILL');
    await ended();
    expect(ends).toEqual([137]);
    await vi.waitFor(() => expect(first.isUsable()).toBe(false), 20_000);
    const second = await supervision.get();
    expect(second).not.toBe(first);
    expect(second?.isUsable()).toBe(true);
    await supervision.close(5000);
  });

  test('reports each command that killed its own supervisor, even at its start', async () => {
    for (let n = 0; n < 40; n++) {
      const { ended, ends } = await start(supervisor, 'kill -9 $PPID; sleep 300').catch((error: Error) => {
        expect(error.message).toBe('it ended what started it');
        return { ends: [137], ended: async () => {} };
      });
      await ended();
      expect(ends).toEqual([137]);
    }
    await vi.waitFor(() => expect(supervisor.isIdle()).toBe(true), 10_000);
    const { ended, ends } = await start(supervisor, 'exit 5');
    await ended();
    expect(ends).toEqual([5]);
  });

  test('rests once no process of any command is left', async () => {
    const supervision = createSupervision(PERL);
    const first = await supervision.get();
    if (first === undefined) throw new Error('there is no supervisor');
    const { ended } = await start(first, 'sleep 300 & echo $! > left');
    await ended();
    supervision.rest();
    expect(first.isUsable()).toBe(true);
    const left = Number(readFileSync(join(folder, 'left'), 'utf8'));
    expect(isThere(left)).toBe(true);
    process.kill(left, 'SIGKILL');
    await vi.waitFor(() => expect(first.isIdle()).toBe(true), 10_000);
    supervision.rest();
    expect(first.isUsable()).toBe(false);
    const second = await supervision.get();
    const again = second && (await start(second, 'exit 3'));
    await again?.ended();
    expect(again?.ends).toEqual([3]);
    await supervision.close(5000);
  });
});

test('without perl there is no supervisor', async () => {
  expect(await createSupervisor('/nonexistent/perl')).toBeUndefined();
});
