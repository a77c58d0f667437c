import { UserError } from '../../base/errors.ts';
import type { ThreadItem } from '../../base/event.ts';
import { checkOptions } from '../../config/check-options.ts';
import type { EngineThread } from '../../engine/thread.ts';
import type { HistoryOptions, HistoryPage } from './read-history.ts';
import type { Rewinder, RewindOptions, RewindPoint, RewindPreview, RewindReport, RewindTarget } from './rewind.ts';

/** The part of a thread that reads its past, or goes back there. */
export interface ThreadPast {
  /**
   * Yields the items of the thread so far, also those of earlier processes, in the order in which they began, read from
   * its log. Long texts are cut. A turn may be running. Throws `UserError` for an ephemeral thread.
   *
   * @example
   * for await (const item of thread.items()) if ('text' in item) console.log(item.type, item.text);
   */
  items(options?: ItemsOptions): AsyncGenerator<ThreadItem, void, undefined>;
  /**
   * Returns the last turns of the thread with their items, read from the end of its log, and page by page those before.
   * A turn may be running. Throws `UserError` for an ephemeral thread.
   *
   * @example
   * const { turns, before } = await thread.history({ turns: 3 });
   * const page = before && (await thread.history({ before }));
   */
  history(options?: HistoryOptions): Promise<HistoryPage>;
  /**
   * Returns the last turns that the thread can go back to, the newest first, with the number of files that differ now
   * from their state before the turn. Throws `UserError` for an ephemeral thread.
   */
  rewindPoints(options?: { readonly limit?: number }): Promise<readonly RewindPoint[]>;
  /** Returns the effect that a rewind would have. Nothing is changed. */
  previewRewind(target: RewindTarget): Promise<RewindPreview>;
  /**
   * Takes the thread back to its state before a turn: the talk, the files, or both. The files are kept as they are now
   * before the first one is changed, and the turns stay in the log, so that both can be brought back. If only the files
   * go back, the model learns of it. Throws `UserError`, before anything is changed, while a turn runs and if the talk or the
   * files cannot go back that far.
   *
   * @example
   * const { undoTree, undoTurn } = await thread.rewind({ turns: 1, what: 'both' });
   */
  rewind(options: RewindOptions): Promise<RewindReport>;
}

/** Options of `items`. */
export interface ItemsOptions {
  /** Id of the first item to yield, such as the last one that a client has seen. Default: the first item. */
  readonly from?: string;
}

export interface PastReaders {
  /** Reads the items of the thread from its log. Throws `UserError` if they are not kept. */
  readItems(): Promise<readonly ThreadItem[]>;
  /** Reads turns of the thread from the end of its log. Throws `UserError` if they are not kept. */
  readHistory(options: HistoryOptions): Promise<HistoryPage>;
  /** Loads the functions that take the thread back. Throws `UserError` if its turns are not kept. */
  rewinder(engine: EngineThread): Promise<Rewinder>;
}

/** Returns the methods of a thread that read its past, or go back there. `inOrder` does work before the next turn begins. */
export function pastOf(
  engine: EngineThread,
  { readItems, readHistory, rewinder }: PastReaders,
  inOrder: (work: () => Promise<void>) => Promise<unknown>,
  is: { closed(): boolean; running(): boolean },
): ThreadPast {
  const requireOpen = () => {
    if (is.closed()) throw new UserError('closed', CLOSED);
  };
  // A thread without a first line is not in its store yet.
  const isStored = () => engine.state.meta !== null;
  return {
    async *items(options = {}) {
      checkOptions('items', options, { from: true });
      requireOpen();
      yield* itemsFrom(options.from, isStored() ? await readItems() : []);
    },
    async history(options = {}) {
      requireOpen();
      return isStored() ? readHistory(options) : { turns: [], before: null, earlier: 0 };
    },
    async rewindPoints(options = {}) {
      requireOpen();
      return isStored() ? (await rewinder(engine)).points(options) : [];
    },
    async previewRewind(target) {
      requireOpen();
      return (await rewinder(engine)).preview(target);
    },
    async rewind(options) {
      requireOpen();
      if (is.running()) throw new UserError('in_use', TURN_RUNS);
      let report: RewindReport | undefined;
      await inOrder(async () => {
        report = await (await rewinder(engine)).rewind(options);
      });
      return report as RewindReport;
    },
  };
}

const CLOSED = 'This thread is closed. Read its items with agent.threads.items() or agent.threads.history().';
const TURN_RUNS = 'A turn of this thread is still running; wait for it to end.';

function itemsFrom(from: string | undefined, items: readonly ThreadItem[]): readonly ThreadItem[] {
  if (from === undefined) return items;
  const at = items.findLastIndex(({ id }) => id === from);
  if (at < 0) throw new UserError('not_found', `The thread has no item ${JSON.stringify(from)}.`);
  return items.slice(at);
}
