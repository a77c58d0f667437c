/**
 * Everything that a thread cannot compute from its log: time, ids, chance. All of it comes through this one argument,
 * so that tests and replays can pass another world.
 */
export interface World {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Returns milliseconds since some moment, as an integer. Never goes back or jumps when the clock is set. */
  monotonic(): number;
  /** Returns a UUID of version 7. Later ones are greater. */
  uuid(): string;
  /** Returns a number from 0 up to but not including 1. */
  random(): number;
  /** Resolves after `ms`. Rejects with the signal's reason if the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
