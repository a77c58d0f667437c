import { constants } from 'node:fs';
import type { Disk } from './disk.ts';

/** Most bytes that are read of a file. */
export const SIZE_LIMIT = 256 * 1024 * 1024;

/** Flags that neither wait for the other end of a pipe nor make a terminal ours. */
export const OPEN_FLAGS = constants.O_NONBLOCK | constants.O_NOCTTY;

/** Returns the bytes of an open file. A result of `limit + 1` bytes means that there are more. */
export function readOpened(disk: Disk, descriptor: number, limit: number): Buffer {
  const bytes = Buffer.allocUnsafe(limit + 1);
  let length = 0;
  for (let count = 1; count > 0 && length <= limit; length += count) {
    count = disk.readSync(descriptor, bytes, length, limit + 1 - length, length);
  }
  return bytes.subarray(0, length);
}
