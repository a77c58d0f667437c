import { expect, test } from 'vitest';
import type { Log } from '../../base/log.ts';
import type { ThreadStore } from '../../base/thread-store.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { storeConformance } from './conformance.ts';

const withLog = (store: ThreadStore, change: (log: Log) => Partial<Log>): ThreadStore => {
  const changed = (log: Log): Log => ({ ...log, ...change(log) });
  return {
    ...store,
    create: (id) => changed(store.create(id)),
    async take(id) {
      const taken = await store.take(id);
      return { ...taken, log: changed(taken.log) };
    },
  };
};

async function* only<T>(values: AsyncIterable<T>, wanted: (value: T, index: number) => boolean): AsyncGenerator<T> {
  let index = 0;
  for await (const value of values) if (wanted(value, index++)) yield value;
}

async function* none(): AsyncGenerator<never> {}

/** Stores that break one promise each, by a part of the name of the case that must fail. */
const BROKEN: Readonly<Record<string, (store: ThreadStore, evict: (id: string) => void) => ThreadStore>> = {
  'read back as they were appended': (store) => ({ ...store, read: (id) => only(store.read(id), (_, n) => n !== 2) }),
  'not there before its first line': (store) => ({
    ...store,
    create(id) {
      const log = store.create(id);
      void log.append([{ type: 'event_msg', payload: { type: 'user_message', message: '' } }]);
      return log;
    },
  }),
  'cannot be kept is not kept at all': (store) =>
    withLog(store, ({ append }) => ({
      async append(lines) {
        for (const line of lines) await append([line]);
      },
    })),
  'in the order of the calls': (store) =>
    withLog(store, ({ append }) => ({
      async append(lines) {
        if (lines.length === 1) await new Promise((resolve) => setImmediate(resolve));
        await append(lines);
      },
    })),
  'all that its state needs': (store) => ({
    ...store,
    async take(id) {
      const taken = await store.take(id);
      return { ...taken, lines: only(taken.lines, ({ bytes }) => !bytes.includes('turn_context')) };
    },
  }),
  'refused to others': (store, evict) => ({
    ...store,
    take(id) {
      evict(id);
      return store.take(id);
    },
  }),
  'writes nothing more and is notified': (store) =>
    withLog(store, ({ append }) => ({ append: (lines) => append(lines).catch(() => {}) })),
  'read from the end are the same': (store) => ({ ...store, readBack: (id) => store.readBack?.(id) ?? none() }),
  'newest thread first': (store) => ({
    ...store,
    async *list(query) {
      const all = [];
      for await (const thread of store.list(query)) all.unshift(thread);
      yield* all;
    },
  }),
  'found by its id': (store) => ({
    ...store,
    find: async (id) => ({ id: (await store.find(id)).id, archived: false }),
  }),
  'turns up to one': (store) => ({ ...store, fork: (id, _, meta) => store.fork(id, null, meta) }),
  'put away until': (store) => ({ ...store, archive: async () => {} }),
  'gone with its name': (store) => ({ ...store, delete: async () => {} }),
  'takes the place of the one before': (store) => ({ ...store, rename: async () => {} }),
};

for (const [words, sabotage] of Object.entries(BROKEN)) {
  test(`a broken promise is noticed: ${words}`, async () => {
    const cases = storeConformance(() => {
      const store = createMemoryStore({ keepAll: true });
      const broken = sabotage(store, store.evict);
      return { open: () => broken, expire: store.evict };
    });
    const meant = cases.filter(({ name }) => name.includes(words));
    expect(meant).toHaveLength(1);
    await expect(meant[0]?.run()).rejects.toThrow();
  });
}
