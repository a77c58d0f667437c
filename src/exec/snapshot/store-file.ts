import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { OPEN_FLAGS } from '../files/read-opened.ts';
import { codeOf } from '../files/system-error.ts';
import type { ObjectStore, ObjectWriter } from './object-store.ts';
import type { Pace } from './pace.ts';
import type { LeftReason } from './tree.ts';

/** The name of a file's bytes with the status of the file, or the reason why it was left out. */
export type StoredFile = { readonly id: string; readonly stat: Stats } | { readonly left: LeftReason } | null;

export interface StoreFileOptions {
  readonly objects: ObjectStore;
  readonly maxFileBytes: number;
  readonly pace: Pace;
}

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | OPEN_FLAGS;
const ATTEMPTS = 3;
const PIECE = 1024 * 1024;
/** Up to this size the name is computed before anything is written, since the bytes are mostly stored already. */
const SMALL = 4 * PIECE;

/** Stores the bytes of a regular file. Returns null where the file is gone. Throws where the bytes cannot be stored. */
export async function storeFile(entry: Buffer, options: StoreFileOptions): Promise<StoredFile> {
  const descriptor = openForReading(entry);
  if (typeof descriptor !== 'number') return descriptor;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = fstatSync(descriptor);
      if (!before.isFile()) return { left: 'special' };
      if (before.size > options.maxFileBytes) return { left: 'large' };
      const id =
        before.size <= SMALL ? keepWhole(descriptor, before.size, options) : await keepPieces(descriptor, options);
      if (id === undefined) return { left: 'unreadable' };
      if (isUntouched(before, fstatSync(descriptor))) return { id, stat: before };
    }
    return { left: 'changing' };
  } finally {
    closeSync(descriptor);
  }
}

function openForReading(entry: Buffer): number | StoredFile {
  try {
    return openSync(entry, READ_FLAGS);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    return { left: code === 'ELOOP' || code === 'EMLINK' ? 'changing' : 'unreadable' };
  }
}

function isUntouched(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs;
}

/** Stores a small file. Reads one byte more than its size, to notice a file that has grown. */
function keepWhole(descriptor: number, size: number, { objects }: StoreFileOptions): string | undefined {
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (let count = 1; count > 0 && length < bytes.length; length += count) {
    count = readAt(descriptor, bytes.subarray(length), length);
    if (count < 0) return undefined;
  }
  return objects.put(bytes.subarray(0, length));
}

async function keepPieces(descriptor: number, { objects, maxFileBytes, pace }: StoreFileOptions) {
  const writer: ObjectWriter = objects.open();
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = 0; at <= maxFileBytes; ) {
      const count = readAt(descriptor, piece, at);
      if (count < 0) return undefined;
      if (count === 0) break;
      writer.write(piece.subarray(0, count));
      at += count;
      if (pace.isDue()) await pace.rest();
    }
    return writer.end();
  } finally {
    writer.discard();
  }
}

/** Returns a negative number where the disk fails. */
function readAt(descriptor: number, bytes: Uint8Array, position: number): number {
  try {
    return readSync(descriptor, bytes, 0, bytes.length, position);
  } catch {
    return -1;
  }
}
