import { closeSync, openSync, readSync } from 'node:fs';
import { parseMeta, type RolloutMeta } from '../../log/rollout-meta.ts';

const BLOCK_BYTES = 32 * 1024;
const LONGEST_BYTES = 16 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** Reads only the first line of a rollout. Returns undefined if that line cannot be used. */
export function readMeta(path: string): RolloutMeta | undefined {
  try {
    return parseMeta(firstLine(path));
  } catch {
    return undefined;
  }
}

/** Returns the bytes before the first line feed, or no bytes if the line is unreasonably long. */
function firstLine(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    for (let bytes = Buffer.allocUnsafe(BLOCK_BYTES), length = 0; ; ) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      const end = bytes.subarray(0, length + read).indexOf(0x0a, length);
      if (end >= 0) return bytes.subarray(0, end);
      length += read;
      if (read === 0 || length >= LONGEST_BYTES) return NOTHING;
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
    }
  } finally {
    closeSync(fd);
  }
}
