import { readSync } from 'node:fs';

/** Reads the output of a terminal that is there. The descriptor is non-blocking. */
export function readAll(master: number): Buffer {
  const parts: Buffer[] = [];
  try {
    for (;;) {
      const block = Buffer.alloc(64 * 1024);
      parts.push(block.subarray(0, readSync(master, block)));
    }
  } catch {
    return Buffer.concat(parts);
  }
}
