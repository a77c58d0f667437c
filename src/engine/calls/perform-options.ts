import type { SuspendedAsk } from '../../base/log.ts';
import type { UserReply } from './read-answer.ts';
import type { ReadWriteLock } from './read-write-lock.ts';

export interface PerformOptions {
  readonly lock: ReadWriteLock;
  /** Aborts to refuse calls that have not started yet. A reason that is a string is their output. */
  readonly waiting: AbortSignal;
  /** Resolves when the output of this call is the next to go into the history. */
  outputDue(): Promise<void>;
  readonly answered?: AnsweredAsk;
}

/** The question that suspended a call, and its answer. */
export interface AnsweredAsk extends SuspendedAsk {
  readonly reply: UserReply;
}
