import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Beginning of a file. `whole`: the file has no more bytes. */
export interface Beginning {
  readonly bytes: Buffer;
  readonly whole: boolean;
}

/** Flags that exist on this system. */
const FLAGS =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads at most `limit` bytes of a regular file. If something else has taken the file's place, it is neither waited for
 * nor followed. Throws in that case, and for a file that may not be read.
 */
export function readBounded(path: string, limit: number): Beginning {
  const file = openSync(path, FLAGS);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    const bytes = Buffer.allocUnsafe(Math.min(limit + 1, stats.size));
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return length > limit
      ? { bytes: bytes.subarray(0, limit), whole: false }
      : { bytes: bytes.subarray(0, length), whole: true };
  } finally {
    closeSync(file);
  }
}
