import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The beginning of a file. `whole`: there is no more. */
export interface Beginning {
  readonly bytes: Buffer;
  readonly whole: boolean;
}

/** Of systems that lack one of these, the others are taken. */
const FLAGS =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * At most so many bytes of a regular file, however long it is. Whatever took the file's place meanwhile is neither waited
 * for nor followed: it throws then, as it does for a file that may not be read.
 */
export function readBounded(path: string, limit: number): Beginning {
  const file = openSync(path, FLAGS);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`${path} is no regular file`);
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
