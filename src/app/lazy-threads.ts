import type { World } from '../base/world.ts';
import { loadLate } from './load-late.ts';
import type { Threads } from './threads.ts';

/** The threads of a home. What they need is loaded with their first use. */
export function lazyThreads(home: string, world: World): Threads {
  const load = async () => (await loadLate()).createThreads(home, world);
  return {
    async *list(query) {
      yield* (await load()).list(query);
    },
    find: async (thread) => (await load()).find(thread),
    show: async (thread) => (await load()).show(thread),
    rename: async (thread, name) => (await load()).rename(thread, name),
    archive: async (thread) => (await load()).archive(thread),
    unarchive: async (thread) => (await load()).unarchive(thread),
    delete: async (thread) => (await load()).delete(thread),
  };
}
