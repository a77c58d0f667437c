import { randomFillSync } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { World } from '../base/world.ts';

/** The world as it is. */
export function realWorld(): World {
  return {
    now: Date.now,
    uuid: createUuidV7(),
    random: Math.random,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
  };
}

/** UUIDs of version 7. A counter in the first random bits keeps those of one millisecond in order. */
function createUuidV7(): () => string {
  let time = 0;
  let counter = 0;
  return () => {
    const now = Date.now();
    counter = now > time ? 0 : counter + 1;
    time = Math.max(now, time);
    return formatUuid(time, counter);
  };
}

function formatUuid(time: number, counter: number): string {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(time, 0, 6);
  bytes.writeUInt16BE(0x7000 | (counter & 0xfff), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
