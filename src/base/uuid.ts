import type { World } from './world.ts';

/**
 * Returns a maker of UUIDs of version 7 with this clock and these random numbers. A counter in the first random bits
 * keeps the ids of one millisecond in order. An id must be unique, not secret, and node:crypto would cost 3 ms of every
 * start.
 */
export function createUuidV7(clock: Pick<World, 'now' | 'random'>): () => string {
  let time = 0;
  let counter = 0;
  const randomBits = (bits: number) => Math.floor(clock.random() * 2 ** bits);
  return () => {
    const now = clock.now();
    counter = now > time || counter === 0xfff ? 0 : counter + 1;
    time = Math.max(now, counter === 0 ? time + 1 : time);
    const digits = time.toString(16).padStart(12, '0');
    const version = (0x7000 | counter).toString(16);
    const variant = (0x8000 | randomBits(14)).toString(16);
    const last = sixDigits(randomBits(24)) + sixDigits(randomBits(24));
    return `${digits.slice(0, 8)}-${digits.slice(8)}-${version}-${variant}-${last}`;
  };
}

function sixDigits(value: number): string {
  return (0x1000000 + value).toString(16).slice(1);
}
