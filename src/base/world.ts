/**
 * Everything that a thread cannot compute from its log: time, ids, chance. It comes in through this one argument, so
 * that tests and replays can hand in another world.
 */
export interface World {
  /** Milliseconds since 1970. */
  now(): number;
  /** A UUID of version 7, later ones greater. */
  uuid(): string;
  /** From 0 up to but not including 1. */
  random(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
