import { setTimeout as wait } from 'node:timers/promises';
import { createUuidV7 } from '../base/uuid.ts';
import type { World } from '../base/world.ts';

/** Returns the world with the clock, the timer and the random numbers of this machine. */
export function realWorld(): World {
  return {
    now: Date.now,
    monotonic: () => Math.floor(performance.now()),
    uuid: createUuidV7({ now: Date.now, random: Math.random }),
    random: Math.random,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
  };
}
