import { closeSync, constants, openSync, readlinkSync, readSync, type Stats, statSync } from 'node:fs';
import { setImmediate as pause } from 'node:timers/promises';
import { disk } from './disk.ts';
import { OPEN_FLAGS, SIZE_LIMIT } from './read-opened.ts';
import { systemError } from './system-error.ts';

const PIECE = 1024 * 1024;

/**
 * Returns the bytes of a regular file. `check` gets the path that was really opened, and may throw. Throws errors of
 * the system, and similar ones for other kinds of files and files that are too large.
 */
export async function readFile(path: string, check: (path: string) => void): Promise<Buffer> {
  // Before opening, since opening a device may already have an effect.
  requireFile(statSync(path), path);
  const descriptor = openSync(path, constants.O_RDONLY | OPEN_FLAGS);
  try {
    check(openedPath(descriptor) ?? path);
    const stat = disk.fstatSync(descriptor);
    requireFile(stat, path);
    return await readToEnd(descriptor, path, stat.size);
  } finally {
    closeSync(descriptor);
  }
}

function requireFile(stat: Stats, path: string): void {
  if (stat.isDirectory()) throw systemError('EISDIR', 'illegal operation on a directory', path);
  if (!stat.isFile()) throw systemError('EINVAL', 'it is not a regular file', path);
  if (stat.size > SIZE_LIMIT) throw tooLarge(path);
}

function openedPath(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** Reads beyond the known size too: a file may grow, and files of the kernel have the size 0. */
async function readToEnd(descriptor: number, path: string, likely: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const room = Math.min(PIECE, likely + 4096);
  for (let size = 0; ; await pause()) {
    const piece = Buffer.allocUnsafe(room);
    let length = 0;
    let count: number;
    do {
      count = readSync(descriptor, piece, length, room - length, null);
      length += count;
    } while (count > 0 && length < room);
    pieces.push(piece.subarray(0, length));
    size += length;
    if (count === 0) return pieces.length === 1 ? piece.subarray(0, length) : Buffer.concat(pieces, size);
    if (size > SIZE_LIMIT) throw tooLarge(path);
  }
}

function tooLarge(path: string): NodeJS.ErrnoException {
  return systemError('EFBIG', `it is larger than ${SIZE_LIMIT / 1024 / 1024} MB`, path);
}
