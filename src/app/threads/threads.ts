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
 * The threads of a store. Wherever one is asked for, its id, the beginning of its id (at least 4 characters) and its name
 * will do. Throws `UserError` when there is none, or when it may be several.
 */
export interface Threads {
  /** Lists threads, the newest first. Each is looked at when it is asked for. */
  list(query?: ThreadQuery): AsyncGenerator<ThreadSummary, void, undefined>;
  find(thread: string): Promise<ThreadSummary>;
  /** Finds a thread and its turns. */
  show(thread: string): Promise<ThreadDetails>;
  /**
   * Returns the items of a thread as they were shown, long texts cut, in the order in which they began. The thread may be
   * running.
   */
  items(thread: string): Promise<readonly TranscriptItem[]>;
  /** Returns the thread's id. */
  rename(thread: string, name: string): Promise<string>;
  /** Puts it away: lists and `lastThread` pass it over, and it must be taken back before it goes on. Returns its id. */
  archive(thread: string): Promise<string>;
  unarchive(thread: string): Promise<string>;
  /** Deletes a thread and its name for good. Returns its id. */
  delete(thread: string): Promise<string>;
}
