import type { ThreadQuery, ThreadSummary } from '../../base/thread-store.ts';
import type { TranscriptItem } from '../../events/transcript.ts';
import type { ThreadTurn } from '../../log/turn-list.ts';

export type { ThreadQuery, ThreadSummary } from '../../base/thread-store.ts';
export type { TranscriptItem } from '../../events/transcript.ts';
export type { ThreadTurn } from '../../log/turn-list.ts';

/** A thread with its turns. */
export interface ThreadDetails extends ThreadSummary {
  readonly turns: readonly ThreadTurn[];
}

/**
 * The threads of a store. A thread is named by its id, the first characters of its id (at least 4), or its name. Throws
 * `UserError` when no thread or more than one matches.
 */
export interface Threads {
  /** Lists threads, newest first. Reads each thread when its turn in the loop comes. */
  list(query?: ThreadQuery): AsyncGenerator<ThreadSummary, void, undefined>;
  find(thread: string): Promise<ThreadSummary>;
  /** Returns a thread and its turns. */
  show(thread: string): Promise<ThreadDetails>;
  /**
   * Returns the items of a thread as they were shown, in the order in which they began. Long texts are cut. The thread
   * may be running.
   */
  items(thread: string): Promise<readonly TranscriptItem[]>;
  /** Returns the id of the thread. */
  rename(thread: string, name: string): Promise<string>;
  /**
   * Archives a thread: lists and `lastThread` skip it, and it must be unarchived before it can continue. Returns its
   * id.
   */
  archive(thread: string): Promise<string>;
  unarchive(thread: string): Promise<string>;
  /** Deletes a thread and its name. Returns its id. */
  delete(thread: string): Promise<string>;
}
