import { expect, test } from 'vitest';
import type { SessionMeta } from '../../base/log.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { createThreads } from './create-threads.ts';

async function oneThread() {
  const store = createMemoryStore();
  const log = store.create('thread-1');
  const meta = { id: 'thread-1', cwd: '/work', timestamp: '2026-01-02T03:04:05.000Z' } as SessionMeta;
  await log.append([{ type: 'session_meta', payload: meta }]);
  return { log, threads: createThreads(store) };
}

test('names are one short line', async () => {
  const { threads } = await oneThread();
  for (const name of ['', '  ', 'two\nlines', 'bell\u0007', 'x'.repeat(101)]) {
    await expect(threads.rename('thread-1', name)).rejects.toThrow(/^A name /);
  }
  expect(await threads.rename('thread-1', '  the name ')).toBe('thread-1');
  expect(await threads.find({ name: 'the name' })).toMatchObject({ id: 'thread-1', name: 'the name', path: null });
});

test('a turn without an end is running while an owner has the thread, and unfinished after that', async () => {
  const { log, threads } = await oneThread();
  await log.append([{ type: 'event_msg', payload: { type: 'task_started', turn_id: 't' } }]);
  expect((await threads.show({ prefix: 'thre' })).turns).toMatchObject([{ number: 1, status: 'running' }]);
  await log.close();
  expect((await threads.show({ prefix: 'thre' })).turns).toMatchObject([{ number: 1, status: 'unfinished' }]);
});
