import type { ThreadQuery, ThreadSummary } from '../../base/thread-store.ts';
import type { TranscriptItem } from '../../events/transcript.ts';
import type { ThreadTurn } from '../../log/turn-list.ts';
import type { HistoryOptions, HistoryPage } from '../thread/read-history.ts';
import type { ThreadReference } from './find-thread.ts';

export type { ThreadQuery, ThreadSummary } from '../../base/thread-store.ts';
export type { TranscriptItem } from '../../events/transcript.ts';
export type { ThreadTurn } from '../../log/turn-list.ts';
export type { HistoryOptions, HistoryPage, HistoryTurn } from '../thread/read-history.ts';

/** A thread with its turns. */
export interface ThreadDetails extends ThreadSummary {
  /** Turns in order. */
  readonly turns: readonly ThreadTurn[];
}

/** The end of a thread. */
export interface ThreadPreview {
  readonly id: string;
  /** Last input of the user. Null if there is none among the last turns. */
  readonly input: string | null;
  /** Last message of the model. Null if there is none among the last turns. */
  readonly answer: string | null;
  readonly status: ThreadTurn['status'] | null;
  /** Start of the last turn as ISO text. */
  readonly startedAt: string | null;
}

/**
 * The threads of a store. The methods throw `UserError` when no thread or more than one fits a reference.
 */
export interface Threads {
  /** Lists threads, newest first. Reads each thread when its turn in the loop comes. */
  list(query?: ThreadQuery): AsyncGenerator<ThreadSummary, void, undefined>;
  /** Returns the thread that a reference names. */
  find(thread: ThreadReference): Promise<ThreadSummary>;
  /** Returns a thread and its turns. */
  show(thread: ThreadReference): Promise<ThreadDetails>;
  /**
   * Returns the items of a thread as they were shown, in the order in which they began. Long texts are cut. The thread
   * may be running.
   */
  items(thread: ThreadReference): Promise<readonly TranscriptItem[]>;
  /**
   * Returns the last turns of a thread with their items, and page by page those before. The log is read from its end, so
   * that the time does not depend on the length of the thread. The thread may be running.
   *
   * @example
   * const { turns, before } = await agent.threads.history(thread.id, { turns: 3 });
   */
  history(thread: ThreadReference, options?: HistoryOptions): Promise<HistoryPage>;
  /** Returns the last input and the last answer of a thread, read from the end of its log. */
  preview(thread: ThreadReference): Promise<ThreadPreview>;
  /** Names a thread. Returns its id. */
  rename(thread: ThreadReference, name: string): Promise<string>;
  /**
   * Archives a thread: lists and `lastThread` skip it, and it must be unarchived before it can continue. Returns its
   * id.
   */
  archive(thread: ThreadReference): Promise<string>;
  /** Takes a thread back from the archive. Returns its id. */
  unarchive(thread: ThreadReference): Promise<string>;
  /** Deletes a thread and its name. Returns its id. */
  delete(thread: ThreadReference): Promise<string>;
}
