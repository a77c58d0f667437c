import { blocksOf } from '../../base/each-line.ts';
import { UserError } from '../../base/errors.ts';
import type { ThreadCatalogue } from '../../base/thread-store.ts';
import type { ShownItemOptions } from '../../events/shown-item.ts';
import { scanTurns } from '../../log/scan-turns.ts';
import type { PlacedTurn } from '../../log/turn-list.ts';
import { checkMetadataQuery } from '../options/check-thread-options.ts';
import { readHistory } from '../thread/read-history.ts';
import { readItems } from '../thread/read-items.ts';
import { findThread, type ThreadReference } from './find-thread.ts';
import type { ThreadDetails, Threads, ThreadTurn } from './threads.ts';

/** Returns the operations on the threads of a store, for programs and commands. */
export function createThreads(store: ThreadCatalogue, options: ShownItemOptions = { rawReasoning: false }): Threads {
  const idOf = async (thread: ThreadReference) => (await findThread(store, thread)).id;
  return {
    async *list(query) {
      checkMetadataQuery(query?.metadata);
      yield* store.list(query);
    },
    find: async (thread) => store.describe(await idOf(thread)),
    show: async (thread) => details(store, await idOf(thread)),
    items: async (thread) => readItems(store, await idOf(thread), options),
    history: async (thread, query = {}) => readHistory(store, await idOf(thread), query, options),
    async preview(thread) {
      const id = await idOf(thread);
      const { turns } = await readHistory(store, id, { turns: PREVIEW_TURNS }, { ...options, counts: false });
      const items = turns.flatMap((turn) => turn.items).toReversed();
      const { status = null, startedAt = null } = turns.at(-1) ?? {};
      return {
        ...{ id, status, startedAt },
        input: items.find((item) => item.type === 'user_message')?.text ?? null,
        answer: items.find((item) => item.type === 'agent_message')?.text ?? null,
      };
    },
    async rename(thread, name) {
      const checked = checkedName(name);
      const id = await idOf(thread);
      await store.rename(id, checked);
      return id;
    },
    async archive(thread) {
      const id = await idOf(thread);
      await store.archive(id);
      return id;
    },
    async unarchive(thread) {
      const id = await idOf(thread);
      await store.unarchive(id);
      return id;
    },
    async delete(thread) {
      const id = await idOf(thread);
      await store.delete(id);
      return id;
    },
  };
}

const LONGEST_NAME = 100;
/** The last turn may have failed without an answer. */
const PREVIEW_TURNS = 3;

function checkedName(text: string): string {
  const name = text.trim();
  if (name === '') throw new UserError('invalid_input', 'A name must not be empty.');
  if (/\p{Cc}/u.test(name)) throw new UserError('invalid_input', 'A name must be one line without control characters.');
  if ([...name].length > LONGEST_NAME)
    throw new UserError('invalid_input', `A name has at most ${LONGEST_NAME} characters.`);
  return name;
}

async function details(store: ThreadCatalogue, id: string): Promise<ThreadDetails> {
  const { turns, damaged } = await scanTurns(blocksOf(store, id));
  const found = await store.describe(id);
  const isOpen = (await store.holder(id)) !== null;
  return { ...found, note: found.note ?? damageNote(damaged), turns: turns.map((turn) => shownTurn(turn, isOpen)) };
}

function damageNote(damaged: number): string | null {
  if (damaged === 0) return null;
  return damaged === 1 ? 'One of its lines cannot be read.' : `${damaged} of its lines cannot be read.`;
}

function shownTurn({ end, lacksStart: _, inputs: _inputs, ...turn }: PlacedTurn, isOpen: boolean): ThreadTurn {
  return isOpen && end === null && turn.status === 'unfinished' ? { ...turn, status: 'running' } : turn;
}
