import { setTimeout as wait } from 'node:timers/promises';
import type { World } from '../base/world.ts';

/** Returns the world with the clock, the timer and the random numbers of this machine. */
export function realWorld(): World {
  return {
    now: Date.now,
    monotonic: () => Math.floor(performance.now()),
    uuid: createUuidV7(),
    random: Math.random,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
  };
}

/**
 * Returns a maker of UUIDs of version 7. A counter in the first random bits keeps the ids of one millisecond in order.
 */
function createUuidV7(): () => string {
  let time = 0;
  let counter = 0;
  return () => {
    const now = Date.now();
    counter = now > time || counter === 0xfff ? 0 : counter + 1;
    time = Math.max(now, counter === 0 ? time + 1 : time);
    return formatUuid(time, counter);
  };
}

function formatUuid(time: number, counter: number): string {
  const clock = time.toString(16).padStart(12, '0');
  const version = (0x7000 | counter).toString(16);
  const variant = (0x8000 | randomBits(14)).toString(16);
  return `${clock.slice(0, 8)}-${clock.slice(8)}-${version}-${variant}-${sixDigits(randomBits(24))}${sixDigits(randomBits(24))}`;
}

/**
 * Returns a random number of `bits` bits. An id must be unique, not secret, and node:crypto would cost 3 ms of every
 * start.
 */
function randomBits(bits: number): number {
  return Math.floor(Math.random() * 2 ** bits);
}

function sixDigits(value: number): string {
  return (0x1000000 + value).toString(16).slice(1);
}
