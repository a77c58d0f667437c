import { UserError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { archiveThread, unarchiveThread } from '../store/archive-thread.ts';
import { deleteThread } from '../store/delete-thread.ts';
import { listThreads, summaryOf } from '../store/list-threads.ts';
import { threadHolder } from '../store/lock.ts';
import { readMeta } from '../store/read-meta.ts';
import { resolveThread } from '../store/resolve-thread.ts';
import type { RolloutFile } from '../store/rollout-files.ts';
import { scanTurns } from '../store/scan-turns.ts';
import { addName, readNames } from '../store/thread-names.ts';
import type { PlacedTurn } from '../store/turn-list.ts';
import { unpackedRollout } from '../store/unpack-rollout.ts';
import type { ThreadDetails, ThreadSummary, Threads, ThreadTurn } from './threads.ts';

/** The threads below a home, and what can be done with them. */
export function createThreads(home: string, world: World): Threads {
  const resolve = (thread: string) => resolveThread(home, thread);
  return {
    async *list({ limit = Number.POSITIVE_INFINITY, ...query } = {}) {
      let left = limit;
      if (left <= 0) return;
      for await (const thread of listThreads(home, query)) {
        yield thread;
        if (--left <= 0) return;
      }
    },
    find: async (thread) => summary(home, await resolve(thread)),
    show: async (thread) => details(home, await resolve(thread)),
    async rename(thread, name) {
      const { id } = await resolve(thread);
      addName(home, id, name, world.now());
      return id;
    },
    async archive(thread) {
      const file = await resolve(thread);
      archiveThread(home, file);
      return file.id;
    },
    async unarchive(thread) {
      const file = await resolve(thread);
      unarchiveThread(home, file);
      return file.id;
    },
    async delete(thread) {
      const file = await resolve(thread);
      await deleteThread(home, file);
      return file.id;
    },
  };
}

function summary(home: string, file: RolloutFile): ThreadSummary {
  const meta = file.compressed ? undefined : readMeta(file.path);
  const found = summaryOf(file, meta, readNames(home).get(file.id) ?? null);
  if (!found) throw new UserError(`The thread ${file.id} is gone: ${file.path} was moved or deleted.`);
  return found;
}

async function details(home: string, file: RolloutFile): Promise<ThreadDetails> {
  const path = await unpackedRollout(file.path);
  const { turns, damaged } = await scanTurns(home, path);
  const found = summary(home, { ...file, path, compressed: false });
  const isOpen = threadHolder(home, file.id) !== undefined;
  return { ...found, note: found.note ?? damageNote(damaged), turns: turns.map((turn) => shownTurn(turn, isOpen)) };
}

function damageNote(damaged: number): string | null {
  if (damaged === 0) return null;
  return damaged === 1 ? 'One of its lines cannot be read.' : `${damaged} of its lines cannot be read.`;
}

function shownTurn({ end, beheaded: _, ...turn }: PlacedTurn, isOpen: boolean): ThreadTurn {
  return isOpen && end === null && turn.status === 'unfinished' ? { ...turn, status: 'running' } : turn;
}
