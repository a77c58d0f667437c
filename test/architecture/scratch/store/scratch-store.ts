import type { Log } from '../../../../src/base/log.ts';
import { createMemoryStore, type MemoryStore } from '../../../../src/store/memory-store.ts';

/** Returns a slow store in memory: it keeps lines a moment after they arrive. */
export function createScratchStore(): MemoryStore {
  const store = createMemoryStore({ keepAll: true });
  return {
    ...store,
    label: 'scratch',
    create: (id) => slow(store.create(id)),
    async take(id) {
      const taken = await store.take(id);
      return { ...taken, log: slow(taken.log) };
    },
  };
}

function slow(log: Log): Log {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(() => new Promise((resolve) => setImmediate(resolve))).then(act);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    ...log,
    pipelined: true,
    append: (lines) => inTurn(() => log.append(lines)),
    close: () => inTurn(() => log.close()),
  };
}

/** Returns the store for the suite of stores. */
export function scratchStore() {
  const store = createScratchStore();
  return { open: () => store, expire: store.evict };
}
