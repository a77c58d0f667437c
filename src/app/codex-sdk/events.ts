import type { CodexItem } from './items.ts';

/** The first event of a thread. */
export type CodexThreadStarted = { type: 'thread.started'; thread_id: string };

/** A turn begins. */
export type CodexTurnStarted = { type: 'turn.started' };

/** A turn is complete. */
export type CodexTurnCompleted = { type: 'turn.completed'; usage: CodexUsage };

/** A turn failed. */
export type CodexTurnFailed = { type: 'turn.failed'; error: CodexThreadError };

/** An item begins. */
export type CodexItemStarted = { type: 'item.started'; item: CodexItem };

/** An item has changed. */
export type CodexItemUpdated = { type: 'item.updated'; item: CodexItem };

/** An item is complete. */
export type CodexItemCompleted = { type: 'item.completed'; item: CodexItem };

/** Something went wrong. The turn may go on, such as after a lost connection. */
export type CodexErrorEvent = { type: 'error'; message: string };

/** The reason why a turn failed. */
export type CodexThreadError = { message: string };

/** Tokens of the thread so far. */
export type CodexUsage = {
  input_tokens: number;
  /** The part of the input that the server had in its cache. */
  cached_input_tokens: number;
  /** The part of the input that the server put into its cache. */
  cache_write_input_tokens: number;
  output_tokens: number;
  /** The part of the output that is reasoning. */
  reasoning_output_tokens: number;
};

/** An event of a turn. */
export type CodexEvent =
  | CodexThreadStarted
  | CodexTurnStarted
  | CodexTurnCompleted
  | CodexTurnFailed
  | CodexItemStarted
  | CodexItemUpdated
  | CodexItemCompleted
  | CodexErrorEvent;
