import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { notReplayed } from '../../harness/replay-rollouts.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { KEYS, startTerminal, type TestTerminal } from '../../harness/start-terminal.ts';

const never = new Promise<never>(() => {});

/** Waits until no process has the home of the test in its environment, but the shell. */
async function nothingLeft({ workspace }: Scene, shell: number): Promise<void> {
  await expect.poll(() => processesWith(workspace.home).filter((id) => id !== shell), { timeout: 10_000 }).toEqual([]);
}

/** Returns the texts of the drafts on disk. */
function draftsOf({ workspace }: Scene): string {
  const folder = join(workspace.home, 'drafts');
  if (!existsSync(folder)) return '';
  // A name with a dot is a file that is still being written.
  return readdirSync(folder)
    .filter((name) => !name.includes('.'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

/** Starts the program from a shell and runs one turn. */
async function afterTurn(): Promise<Scene & { readonly terminal: TestTerminal }> {
  const s = await scene((_, n) =>
    n === 1 ? reply(say('The first answer.')) : reply(say('working on it'), gate(never)),
  );
  const crash = join(s.workspace.home, 'crash.cjs');
  writeFileSync(crash, CRASH);
  const env = { NODE_OPTIONS: `--require ${crash}` };
  const terminal = startTerminal(['hello', 'there'], { ...s, isInShell: true, env });
  await terminal.shows('The first answer.');
  await terminal.hides('Esc interrupts');
  return { ...s, terminal };
}

const WAYS: readonly { readonly how: string; readonly code: number; leave(terminal: TestTerminal): void }[] = [
  { how: 'Ctrl-D', code: 0, leave: (terminal) => terminal.type(KEYS.ctrl('d')) },
  { how: '/quit', code: 0, leave: (terminal) => terminal.type('/quit\r') },
  {
    how: 'Ctrl-C twice',
    code: 0,
    leave(terminal) {
      terminal.type(KEYS.ctrl('c'));
      terminal.type(KEYS.ctrl('c'));
    },
  },
];

describe.each(WAYS)('$how', ({ code, leave }) => {
  test('leaves the terminal as it was, and says how to go on', async () => {
    const s = await afterTurn();
    leave(s.terminal);
    expect(await s.terminal.left()).toBe(`[left with ${code}, settings restored]`);
    expect(s.terminal.modes()).toEqual([]);
    const lines = await s.terminal.lines();
    const [, id = ''] = /oxbow resume (\S+)/.exec(lines.join('\n')) ?? [];
    // Nothing of the live region stays.
    expect(lines.filter((line) => line !== '')).toEqual([
      '› hello there',
      'The first answer.',
      `To go on: oxbow resume ${id}`,
      `[left with ${code}, settings restored]`,
    ]);
    await nothingLeft(s, s.terminal.shell());

    const again = startTerminal(['resume', id], { ...s, isInShell: true });
    await again.shows('The first answer.');
    again.type(KEYS.ctrl('d'));
    expect(await again.left()).toContain('left with 0');
  });
});

/** A module that breaks the program from inside. */
const CRASH = "process.on('SIGUSR2', () => { throw new Error('a bug of ours'); });";

const SIGNALS = [
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGHUP', code: 129 },
  { signal: 'SIGKILL', code: 137 },
  { signal: 'SIGABRT', code: 134 },
  // An error without a handler, see CRASH.
  { signal: 'SIGUSR2', code: 1 },
] as const;

describe.each(SIGNALS)('$signal while a turn runs', ({ signal, code }) => {
  test('leaves the terminal as it was, the draft for the next start, and the thread to go on with', async () => {
    notReplayed('its process was killed');
    const s = await afterTurn();
    const { terminal } = s;
    terminal.type('and now?\r');
    await terminal.shows('working on it');
    terminal.type('a draft of mine');
    await terminal.shows('› a draft of mine');
    await expect.poll(() => draftsOf(s), { timeout: 10_000 }).toContain('a draft of mine');
    terminal.kill(signal);
    expect(await terminal.left()).toBe(`[left with ${code}, settings restored]`);
    expect(terminal.modes()).toEqual([]);
    await nothingLeft(s, terminal.shell());
    expect((await terminal.lines()).join('\n')).toContain('The first answer.');

    const again = startTerminal(['resume', '--last'], { ...s, isInShell: true });
    await again.shows('› a draft of mine');
    await again.shows('The first answer.');
    again.type(KEYS.ctrl('c'));
    await again.shows('The draft is put aside');
    again.type(KEYS.ctrl('d'));
    expect(await again.left()).toContain('left with 0');
  });
});

test('texts that wait for the end of a turn wait again at the next start, and are not sent by themselves', async () => {
  notReplayed('its process was killed');
  const s = await afterTurn();
  const { terminal } = s;
  terminal.type('and now?\r');
  await terminal.shows('working on it');
  terminal.type('for a turn of its own\t');
  await terminal.shows('for a turn of its own  after this turn');
  terminal.type('for another one\t');
  await terminal.shows('for another one  after this turn');
  terminal.type('a draft of mine');
  await expect.poll(() => draftsOf(s), { timeout: 10_000 }).toContain('a draft of mine');
  terminal.kill('SIGKILL');
  await terminal.left();
  const requests = s.model.requests.length;

  const again = startTerminal(['resume', '--last'], { ...s, isInShell: true });
  await again.shows(/› for a turn of its own +after your next turn\n› for another one +after your next turn/);
  await again.shows('› a draft of mine');
  again.type(KEYS.ctrl('c'));
  await again.shows('The draft is put aside');
  again.type(KEYS.altUp);
  await again.hides('for another one  after your next turn');
  await again.shows('› for another one');
  expect(s.model.requests.length).toBe(requests);
  again.type(KEYS.enter);
  await again.shows('for a turn of its own  after this turn');
  await expect.poll(() => s.model.requests.length).toBe(requests + 1);
});

test('a draft of before is not lost when another is typed at once', async () => {
  const s = await scene([reply(say('The first answer.'))]);
  const first = startTerminal([], { ...s, isInShell: true });
  await first.shows('main');
  first.type('a draft of mine');
  await expect.poll(() => draftsOf(s), { timeout: 10_000 }).toContain('a draft of mine');
  first.kill('SIGKILL');
  await first.left();

  const second = startTerminal([], { ...s, isInShell: true });
  second.type('typed at once');
  await second.shows('An earlier draft is among your prompts');
  await expect.poll(() => draftsOf(s), { timeout: 10_000 }).toContain('typed at once');
  second.kill('SIGKILL');
  await second.left();

  const third = startTerminal([], { ...s, isInShell: true });
  await third.shows('› typed at once');
  await third.shows('main');
  third.type(KEYS.ctrl('u'));
  third.type(KEYS.up);
  await third.shows('› a draft of mine');
});

const MOMENTS = Array.from({ length: 16 }, (_, n) => n * 20);

test.each([{ args: ['hello', 'there'] }, { args: [] }])(
  'SIGKILL at any moment of the start of oxbow $args leaves the terminal as it was',
  async ({ args }) => {
    notReplayed('its process was killed');
    const s = await scene(() => reply(say('working on it'), gate(never)));
    for (const moment of MOMENTS) {
      const terminal = startTerminal(args, { ...s, isInShell: true });
      await expect.poll(() => commandOf(terminal.pid()), { timeout: 10_000, interval: 1 }).toMatch(/^node.*oxbow/);
      await delay(moment);
      terminal.kill('SIGKILL');
      expect(await terminal.left()).toBe('[left with 137, settings restored]');
      await expect.poll(terminal.modes, { timeout: 10_000 }).toEqual([]);
      terminal.type(KEYS.enter);
      await terminal.wait();
    }
    await nothingLeft(s, 0);
  },
);

/** Returns the command line of a process, or an empty text. */
function commandOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test('the end of the terminal itself ends the program', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'sleep 1000' }))]);
  notReplayed('its process was killed');
  const terminal = startTerminal(['hello', 'there'], { ...s });
  await terminal.shows('$ sleep 1000');
  terminal.hangUp();
  await terminal.wait();
  await nothingLeft(s, 0);
});

test('a draft is there at the next start in the same folder, and gone once it was sent', async () => {
  const s = await scene([reply(say('The first answer.'))]);
  const first = startTerminal([], { ...s, isInShell: true });
  await first.shows('main');
  first.type('a draft of mine');
  await expect.poll(() => draftsOf(s), { timeout: 10_000 }).toContain('a draft of mine');
  first.kill('SIGKILL');
  expect(await first.left()).toContain('settings restored');

  const second = startTerminal([], { ...s, isInShell: true });
  await second.shows('› a draft of mine');
  second.type(KEYS.enter);
  await second.shows('The first answer.');
  second.type('/quit');
  await expect.poll(() => draftsOf(s), { timeout: 10_000 }).toContain('/quit');
  second.type(KEYS.enter);
  expect(await second.left()).toContain('left with 0');
  expect(draftsOf(s)).toBe('');
});
