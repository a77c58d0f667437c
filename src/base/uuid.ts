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
    const high = fourDigits(Math.floor(time / 2 ** 32)) + fourDigits(Math.floor(time / 2 ** 16) % 2 ** 16);
    const version = fourDigits(0x7000 | counter);
    const variant = fourDigits(0x8000 | randomBits(14));
    const last = fourDigits(randomBits(16)) + fourDigits(randomBits(16)) + fourDigits(randomBits(16));
    return `${high}-${fourDigits(time % 2 ** 16)}-${version}-${variant}-${last}`;
  };
}

/** The numbers of a byte in two digits. Looking them up is far faster than writing them. */
const BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function fourDigits(value: number): string {
  return `${BYTES[value >> 8]}${BYTES[value & 0xff]}`;
}
