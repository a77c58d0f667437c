import { existsSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { StoredLine } from '../../../src/base/thread-store.ts';
import { createAgent, LostThread } from '../../../src/index.ts';
import { ownMark } from '../../../src/machine/process-mark.ts';
import { createMemoryStore, type ThreadStore } from '../../../src/store/index.ts';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { mapStore, type Rows } from './map-store.ts';

const run = (cmd: string, more = {}) => call('exec_command', { cmd, ...more });

function opened(): { readonly promise: Promise<void>; open(): void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

async function textOf(lines: AsyncIterable<StoredLine>): Promise<string> {
  const texts: string[] = [];
  for await (const { bytes } of lines) texts.push(bytes.toString('utf8'));
  return texts.join('\n');
}

const LOST = { status: 'failed', finalResponse: '', error: { code: 'lost' } };

/** Expects the end of a turn whose thread was lost, as listeners see it. */
function expectLost(s: LibraryScene): void {
  expect(s.events.at(-1)).toMatchObject({ type: 'turn.failed', error: { code: 'lost' } });
  expect(s.events.filter(({ type }) => /^turn\.(failed|completed|aborted)$/.test(type))).toHaveLength(1);
}

test('a thread that another process takes during a command ends the command and the turn, and writes nothing', async () => {
  const store = createMemoryStore({ keepAll: true });
  const command = 'echo on; sleep 60; echo late > late';
  const s = await libraryScene([reply(run(command)), reply(say('never'))], {}, { store });
  const thread = await s.agent.startThread(s.threadOptions());
  const turn = thread.run('go');
  await vi.waitFor(() => expect(s.events.some(({ type }) => type === 'command.output')).toBe(true), 30_000);
  store.evict(thread.id);
  const { log, lines } = await store.take(thread.id);
  const before = await textOf(lines);
  expect(before).toContain('call.started');
  expect(await turn).toMatchObject(LOST);
  expectLost(s);
  expect(await textOf(store.read(thread.id))).toBe(before);
  expect(s.model.requests).toHaveLength(1);
  expect(s.events.some((event) => event.type === 'item.completed' && event.item.type === 'command')).toBe(true);

  await expect(thread.steer('more')).rejects.toThrow(LostThread);
  expect(await thread.run('again')).toMatchObject(LOST);
  await thread.close();
  await log.close();
  expect(await textOf(store.read(thread.id))).toBe(before);
  expect(existsSync(s.workspace.file('late'))).toBe(false);
});

test('commands that earlier turns left running end with the thread that another process took', async () => {
  const store = createMemoryStore({ keepAll: true });
  const waiting = run('sleep 60; echo late > late', { yield_time_ms: 250 });
  const s = await libraryScene([reply(waiting), reply(say('it runs'))], {}, { store });
  const thread = await s.agent.startThread(s.threadOptions());
  expect((await thread.run('go')).finalResponse).toBe('it runs');
  const ended = () => s.events.some((event) => event.type === 'item.completed' && event.item.type === 'command');
  expect(ended()).toBe(false);
  store.evict(thread.id);
  const { log } = await store.take(thread.id);
  await vi.waitFor(() => expect(ended()).toBe(true), 30_000);
  await log.close();
  await thread.close();
});

/** Runs two agents. The second takes the thread of the first in the middle of a response and finishes a turn. */
async function takenInResponse(stores: readonly [ThreadStore, ThreadStore] | undefined, expire: Expire) {
  const { promise, open } = opened();
  let clock = 0;
  const world = () => {
    let ids = 0;
    const uuid = () =>
      `01a1dfaa-${process.pid.toString(16).padStart(8, '0').slice(-4)}-7981-86ac-${String(++ids + clock).padStart(12, '0')}`;
    return {
      now: () => Date.now() + clock,
      monotonic: () => performance.now(),
      uuid,
      random: () => 0.5,
      sleep: async () => {},
    };
  };
  const effect = (name: string) => run(`echo ${name} >> effects`);
  const script = [
    reply(say('I wait.'), gate(promise), effect('A'), effect('A')),
    ...[reply(effect('B')), reply(say('B is done'))],
  ];
  const s = await libraryScene(script, {}, { world: world(), ...(stores ? { store: stores[0] } : {}) });
  const first = await s.agent.startThread(s.threadOptions());
  const turn = first.run('of the first');
  await vi.waitFor(() => expect(s.events.some(({ type }) => type === 'text.delta')).toBe(true), 30_000);
  await expire(first.id, s);
  clock = 600_000;
  const { env, cwd } = s.agent.config;
  const other = createAgent({ env, cwd, world: world(), ...(stores ? { store: stores[1] } : {}) });
  const second = await other.resumeThread(first.id);
  expect((await second.run('of the second')).finalResponse).toBe('B is done');
  const before = await textOf(other.store.read(first.id));
  return { s, first, second, turn, before, other, open };
}

type Expire = (id: string, s: LibraryScene) => void | Promise<void>;

/** Replaces the lock with the mark of a process that has ended, as if this process had not been seen for too long. */
async function replaceLock(id: string, { workspace }: LibraryScene): Promise<void> {
  const lock = join(workspace.home, 'thread-locks', id);
  await vi.waitFor(() => unlinkSync(lock), 20_000);
  symlinkSync(JSON.stringify({ ...ownMark(), pid: 999_999_999, start: '1', nonce: 'gone' }), lock);
}

for (const release of [false, true]) {
  const when = release ? 'has closed it again' : 'has it';
  test(`files: an agent that lost a thread starts nothing more and writes nothing, while another ${when}`, async () => {
    const { s, first, second, turn, before, other, open } = await takenInResponse(undefined, replaceLock);
    if (release) await second.close();
    open();
    expect(await turn).toMatchObject(LOST);
    expectLost(s);
    expect(await textOf(other.store.read(first.id))).toBe(before);
    expect(s.workspace.read('effects')).toBe('B\n');
    await first.close();
    await second.close();
    expect(readFileSync(second.path ?? '', 'utf8').trimEnd()).toBe(before);
    const again = await other.resumeThread(first.id);
    await again.close();
  });
}

test('a remote store: a call whose start is not on record does not run', async () => {
  const rows: Rows = new Map();
  const expire = (id: string) => {
    const row = rows.get(id);
    if (row) row.leased = false;
  };
  const { s, first, second, turn, before, other, open } = await takenInResponse(
    [mapStore(rows), mapStore(rows)],
    expire,
  );
  open();
  expect(await turn).toMatchObject(LOST);
  expectLost(s);
  expect(await textOf(other.store.read(first.id))).toBe(before);
  expect(s.workspace.read('effects')).toBe('B\n');
  await first.close();
  await second.close();
  expect(await other.replay(first.id)).toMatchObject({ reproduced: true });
});
