import type { ThreadQuery as StoreQuery, ThreadSummary } from '../store/list-threads.ts';
import type { ThreadTurn } from '../store/turn-list.ts';

export type { ThreadSummary } from '../store/list-threads.ts';
export type { ThreadTurn } from '../store/turn-list.ts';

export interface ThreadQuery extends StoreQuery {
  /** At most so many. */
  readonly limit?: number;
}

/** A thread with its turns. */
export interface ThreadDetails extends ThreadSummary {
  readonly turns: readonly ThreadTurn[];
}

/**
 * The threads below a home. Wherever one is asked for, its id, the beginning of its id (at least 4 characters) and its name
 * will do. Throws `UserError` when there is none, or when it may be several.
 */
export interface Threads {
  /** The newest first. Files are opened as the threads are asked for. */
  list(query?: ThreadQuery): AsyncGenerator<ThreadSummary, void, undefined>;
  find(thread: string): Promise<ThreadSummary>;
  /** With its turns. */
  show(thread: string): Promise<ThreadDetails>;
  /** Gives the thread's id. */
  rename(thread: string, name: string): Promise<string>;
  /** Puts it away: lists and `lastThread` pass it over, and it must be taken back before it goes on. Gives its id. */
  archive(thread: string): Promise<string>;
  unarchive(thread: string): Promise<string>;
  /** Deletes its file and its name for good. Gives its id. */
  delete(thread: string): Promise<string>;
}
