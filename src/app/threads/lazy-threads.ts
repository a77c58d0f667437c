import type { Threads } from './threads.ts';

/** Returns the threads of a store, loaded for each use. */
export function lazyThreads(load: () => Promise<Threads>): Threads {
  return {
    async *list(query) {
      yield* (await load()).list(query);
    },
    find: async (thread) => (await load()).find(thread),
    show: async (thread) => (await load()).show(thread),
    items: async (thread) => (await load()).items(thread),
    rename: async (thread, name) => (await load()).rename(thread, name),
    archive: async (thread) => (await load()).archive(thread),
    unarchive: async (thread) => (await load()).unarchive(thread),
    delete: async (thread) => (await load()).delete(thread),
  };
}
