import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  neverAborted,
  openScript,
  realWorld,
  runScript,
  type TestEnvironment,
  testEnvironment,
  until,
} from '../environment/test-environment.ts';
import { readProcessTable, wasStartedWith } from '../process/process-table.ts';

const CONFINED = { mode: 'workspace-write', writableRoots: [], network: false } as const;
const SETTINGS: Readonly<Record<string, Parameters<typeof testEnvironment>[0]>> = {
  'without a sandbox': {},
  'without a sandbox and without perl': { perl: '/nonexistent' },
  'under bubblewrap': { policy: CONFINED, perl: '/nonexistent' },
  'under Landlock': { policy: CONFINED, probes: { bubblewrap: async () => 'not wanted' } },
};

const CONFINED_SETTINGS = Object.entries(SETTINGS).filter(([name]) => name.startsWith('under'));

let environment: TestEnvironment;
afterEach(() => environment.close());

const run = (script: string) => runScript(environment, script, { tty: true });
const open = async (script: string) => (await openScript(environment, script, { tty: true })).terminal;

describe.skipIf(process.platform !== 'linux').each(Object.entries(SETTINGS))('a terminal %s', (_, options) => {
  test('has 80 columns and 24 rows, and a session of its own', async () => {
    environment = testEnvironment(options);
    const { text, exitCode } = await run(
      'test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM && exec 3<>/dev/tty && echo yes >&3; exit 5',
    );
    expect({ text, exitCode }).toEqual({ text: '24 80\r\ndumb\r\nyes\r\n', exitCode: 5 });
  });

  test('passes Ctrl-C to the program, which may go on', async () => {
    environment = testEnvironment(options);
    const terminal = await open('trap "echo caught" INT; echo ready; read line; echo "<$line>"');
    await until(terminal, 'ready');
    await terminal.write('\u0003');
    await until(terminal, 'caught');
    await terminal.write('typed\n');
    await until(terminal, '<typed>');
  });

  test('ends a program by Ctrl-C with the exit code 130', async () => {
    environment = testEnvironment(options);
    const terminal = await open('echo ready; exec sleep 300');
    await until(terminal, 'ready');
    await terminal.write('\u0003');
    expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ exitCode: 130 });
  });

  test('has job control', async () => {
    environment = testEnvironment(options);
    const terminal = await open('exec bash --norc -i');
    await terminal.write('PS1=; sh -c "echo run\\ning; exec sleep 300"\n');
    await until(terminal, 'running');
    await terminal.write('\u001a');
    await until(terminal, 'Stopped');
    await terminal.write('fg\n');
    await until(terminal, 'sh -c');
    await terminal.write('\u0003');
    await terminal.write('echo sta"tus" $?; exit 7\n');
    await until(terminal, 'status 130');
    expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ exitCode: 7 });
  });

  test('does not echo a password', async () => {
    environment = testEnvironment(options);
    const terminal = await open('read -s -p "Password: " word; echo; test $word = hidden && echo right');
    let text = await until(terminal, 'Password: ');
    await terminal.write('hidden\n');
    text += (await terminal.collect(20_000, neverAborted)).text;
    expect(text).toBe('Password: \r\nright\r\n');
  });

  test('reports a new size to the program', async () => {
    environment = testEnvironment(options);
    const terminal = await open('trap "stty size" WINCH; echo ready; while :; do read -t 0.05 line; done');
    await until(terminal, 'ready');
    terminal.resize({ columns: 132, rows: 50 });
    await until(terminal, '50 132');
  });

  test('loses no output that is printed right before the end', async () => {
    environment = testEnvironment(options);
    for (let n = 0; n < 20; n++) expect(await run(`echo ${n}`)).toEqual({ text: `${n}\r\n`, exitCode: 0 });
  });

  test('keeps its descriptors from all other processes', async () => {
    environment = testEnvironment(options);
    const script = 'echo ready; exec sleep 300';
    const before = new Set((readProcessTable() ?? []).map(({ pid }) => pid));
    const first = await open(script);
    await until(first, 'ready');
    const second = await open(script);
    await until(second, 'ready');
    const { text } = await runScript(environment, 'ls -l /proc/$$/fd | grep -c ptmx');
    expect(text).toBe('0\n');
    // Other programs of the machine have terminals of their own.
    const children = (readProcessTable() ?? []).filter(
      ({ pid, ended }) => !ended && !before.has(pid) && descendsFrom(process.pid, pid),
    );
    expect(children.filter(({ pid }) => descriptorsOf(pid).some((path) => path.includes('ptmx')))).toEqual([]);
  });

  test('ends with everything that it started, even processes that tried to outlive it', async () => {
    const id = realWorld.uuid();
    environment = testEnvironment({ ...options, world: { ...realWorld, uuid: () => id } });
    const runs = () =>
      (readProcessTable() ?? []).filter(({ pid, ended }) => !ended && wasStartedWith(pid, `OXBOW_COMMAND_ID=${id}:`));
    const terminal = await open(
      `trap '' HUP TERM; nohup sleep 300 >/dev/null 2>&1 & setsid sleep 300 & (setsid setsid sleep 300 &); echo ready; sleep 300`,
    );
    await until(terminal, 'ready');
    await vi.waitFor(() => expect(runs().length).toBeGreaterThan(3), 20_000);
    await terminal.kill();
    expect(runs().filter(({ pid }) => commandOf(pid).startsWith('sleep'))).toEqual([]);
    expect(zombies()).toEqual([]);
  });

  test('accepts input that its program does not read, without blocking us', async () => {
    environment = testEnvironment(options);
    const terminal = await open('stty raw -echo; echo ready; sleep 300');
    await until(terminal, 'ready');
    const began = performance.now();
    await terminal.write('x'.repeat(500_000));
    expect(performance.now() - began).toBeLessThan(20_000);
    await expect(terminal.write('y'.repeat(1_000_000))).rejects.toMatchObject({
      name: 'ToolFailure',
      message: expect.stringContaining('the process does not read its input'),
    });
    await terminal.kill();
  });

  test('says why a command cannot be started', async () => {
    environment = testEnvironment(options);
    const opened = openScript(environment, 'true', { tty: true, cwd: '/nonexistent' });
    await expect(opened).rejects.toMatchObject({
      message: 'Failed to create unified exec process: No such file or directory (os error 2)',
    });
    expect(descriptorsOf(process.pid).filter((path) => /ptmx|pts/.test(path))).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux').each(CONFINED_SETTINGS)('a terminal %s', (_, options) => {
  test('cannot be typed into by the program itself', async () => {
    environment = testEnvironment(options);
    const typing = `perl -e '$c = "x"; print ioctl(STDIN, 0x5412, $c) ? "typed" : "refused: " . ($! + 0), "\\n"'`;
    expect((await run(typing)).text).toBe('refused: 1\r\n');
    // The kernel reads only the lower half of the number.
    const wide = `perl -e '$c = "x"; print syscall(16, 0, 0x100005412, $c) == 0 ? "typed" : "refused: " . ($! + 0), "\\n"'`;
    if (process.arch === 'x64') expect((await run(wide)).text).toBe('refused: 1\r\n');
  });
});

describe.skipIf(process.platform !== 'linux')('a terminal', () => {
  test('keeps the start and the end of a long output, in bounded memory', async () => {
    environment = testEnvironment();
    const before = process.memoryUsage.rss();
    const { terminal, exits } = await openScript(
      environment,
      "stty -opost; echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo last",
      { tty: true },
    );
    const { text, exitCode } = await terminal.collect(120_000, neverAborted);
    expect(exitCode).toBe(0);
    expect(text.startsWith('first\nxxx')).toBe(true);
    expect(text.endsWith('xlast\n')).toBe(true);
    expect(text).toContain(`\n... ${100_000_011 - 1024 * 1024} bytes omitted ...\n`);
    expect(exits[0]?.output).toBe(text);
    expect(process.memoryUsage.rss() - before).toBeLessThan(60_000_000);
  }, 120_000);

  test('accepts long input in order, as fast as the program reads it', async () => {
    environment = testEnvironment();
    const terminal = await open('stty raw -echo; echo ready; head -c 300000 | md5sum; sleep 300');
    await until(terminal, 'ready');
    const text = Array.from({ length: 30_000 }, (_, n) => String(n).padStart(10, '.')).join('');
    void terminal.write(text.slice(0, 120_000));
    void terminal.write(text.slice(120_000));
    await until(terminal, createHash('md5').update(text).digest('hex'));
  });

  test('ends when its program kills its supervisor', async () => {
    environment = testEnvironment();
    expect(await run('sleep 0.1; kill -9 $PPID; sleep 300')).toMatchObject({ exitCode: 137 });
  });

  test('drops the output of a process in the background', async () => {
    environment = testEnvironment();
    const { text } = await run('trap "" HUP; (sleep 0.3; yes | head -c 1000000; echo > /dev/null) & echo $!');
    const pid = Number(text);
    expect(pid).toBeGreaterThan(0);
    await vi.waitFor(() => expect(commandOf(pid)).toBe(''), 20_000);
  });

  test('leaves no descriptor open when its process has ended', async () => {
    environment = testEnvironment();
    for (let n = 0; n < 5; n++) await run('true');
    await vi.waitFor(
      () => expect(descriptorsOf(process.pid).filter((path) => /ptmx|pts/.test(path))).toEqual([]),
      20_000,
    );
  });
});

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${name}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns our ended children whose status has not been collected. */
function zombies(): number[] {
  return (readProcessTable() ?? [])
    .filter(({ ended, parent }) => ended && parent === process.pid)
    .map(({ pid }) => pid);
}

/** Reports whether a process was started by another one, or by one that it started. */
function descendsFrom(ancestor: number, pid: number): boolean {
  const parents = new Map((readProcessTable() ?? []).map((row) => [row.pid, row.parent]));
  for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) if (at === ancestor) return true;
  return false;
}
