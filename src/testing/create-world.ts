import { setTimeout as wait } from 'node:timers/promises';
import { createUuidV7 } from '../base/uuid.ts';
import type { World } from '../base/world.ts';

/** Options of `createWorld`. */
export interface WorldOptions {
  /**
   * Whether waits between attempts end at once. The clock moves on by the time that was not waited. The time in which a
   * server must answer is still real.
   */
  readonly skipSleep?: boolean;
  /** Number that decides all random numbers and ids. Two worlds with the same seed return the same ones. */
  readonly seed?: number;
  /**
   * Time at which the clock stands, as milliseconds since 1970 or a date. Only waits move it. The default is the real
   * clock, or 2026-01-01T00:00:00Z in a world with a seed, because ids contain the time.
   */
  readonly now?: number | Date;
}

/**
 * Returns a world for tests.
 *
 * @example
 * const agent = createAgent({ world: createWorld({ skipSleep: true, seed: 1 }) });
 */
export function createWorld({ skipSleep = false, seed, now }: WorldOptions = {}): World {
  const start = now ?? (seed === undefined ? undefined : SEEDED_START);
  const random = seed === undefined ? Math.random : createRandom(seed);
  let passed = 0;
  const clock = start === undefined ? Date.now : () => Number(start);
  const timer = start === undefined ? () => performance.now() : () => 0;
  const world = { now: () => clock() + passed, random };
  return {
    ...world,
    monotonic: () => Math.floor(timer() + passed),
    uuid: createUuidV7(world),
    async sleep(ms, signal) {
      signal.throwIfAborted();
      if (!skipSleep) await wait(ms, undefined, { signal });
      // The real clock has moved on by itself.
      if (skipSleep || start !== undefined) passed += ms;
    },
  };
}

const SEEDED_START = Date.UTC(2026, 0, 1);

/** Returns a generator of numbers from 0 up to but not including 1 (the algorithm mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
