import { createHash, hash as hashOf, randomBytes } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { codeOf } from '../files/system-error.ts';

/**
 * A store of bytes under names that are computed from them. Objects are always complete: an object gets its name after
 * it has been written.
 */
export interface ObjectStore {
  /** Stores bytes and returns their name. */
  put(bytes: Uint8Array): string;
  /** Returns a writer that stores bytes in pieces. */
  open(): ObjectWriter;
  /** Reports whether an object of that name and length exists. */
  has(id: string, size: number): boolean;
  /** Throws `UserError` where the object is missing or damaged. */
  read(id: string): Buffer;
  /** Passes the bytes to `write` in pieces. Throws as `read` does, perhaps after the last piece. */
  readTo(id: string, write: (piece: Uint8Array) => void): void;
}

export interface ObjectWriter {
  write(bytes: Uint8Array): void;
  /** Returns the name. */
  end(): string;
  /** Drops the written bytes. May be called at any time. */
  discard(): void;
}

/** Prefix of files that are being written, or were when their writer died. */
export const TEMPORARY = 'writing-';

const PIECE = 1024 * 1024;

/** Returns the name of bytes: their SHA-256, cut to the length of git's ids. */
function objectId(bytes: Uint8Array): string {
  return shorten(hashOf('sha256', bytes));
}

export function objectPath(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id.slice(2));
}

/** Opens a store in a folder, which is made with the first object. */
export function openObjects(folder: string): ObjectStore {
  const made = new Set<string>();
  const names = TEMPORARY + randomBytes(8).toString('hex');
  let named = 0;

  function takeName(temporary: string, id: string): void {
    const part = join(folder, id.slice(0, 2));
    if (!made.has(part)) mkdirSync(part, { recursive: true, mode: 0o700 });
    made.add(part);
    renameSync(temporary, objectPath(folder, id));
  }

  const open = () => openWriter(createTemporary(folder, `${names}-${++named}`), takeName);
  const has = (id: string, size: number) => lstatSync(objectPath(folder, id), { throwIfNoEntry: false })?.size === size;
  const readTo: ObjectStore['readTo'] = (id, write) => readChecked(folder, id, write);
  return {
    put(bytes) {
      const id = objectId(bytes);
      if (has(id, bytes.length)) return id;
      const writer = open();
      try {
        writer.write(bytes);
        return writer.end();
      } finally {
        writer.discard();
      }
    },
    open,
    has,
    read(id) {
      const pieces: Buffer[] = [];
      readTo(id, (piece) => pieces.push(Buffer.from(piece)));
      return Buffer.concat(pieces);
    },
    readTo,
  };
}

/** Returns a store that computes names without storing bytes, and reads from another store. */
export function namesOnly({ read, readTo }: ObjectStore): ObjectStore {
  return {
    put: objectId,
    open() {
      const hash = createHash('sha256');
      return { write: (bytes) => void hash.update(bytes), end: () => shorten(hash.digest('hex')), discard: () => {} };
    },
    has: () => true,
    read,
    readTo,
  };
}

function shorten(digest: string): string {
  return digest.slice(0, 40);
}

interface Temporary {
  readonly path: string;
  readonly descriptor: number;
}

function createTemporary(folder: string, name: string): Temporary {
  const path = join(folder, name);
  try {
    return { path, descriptor: openSync(path, 'wx', 0o600) };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { path, descriptor: openSync(path, 'wx', 0o600) };
  }
}

function openWriter({ path, descriptor }: Temporary, takeName: (temporary: string, id: string) => void): ObjectWriter {
  const hash = createHash('sha256');
  let state: 'open' | 'closed' | 'named' = 'open';
  const close = () => {
    if (state === 'open') closeSync(descriptor);
    state = 'closed';
  };
  return {
    write(bytes) {
      hash.update(bytes);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    },
    end() {
      close();
      const id = shorten(hash.digest('hex'));
      takeName(path, id);
      state = 'named';
      return id;
    },
    discard() {
      if (state === 'named') return;
      close();
      rmSync(path, { force: true });
    },
  };
}

function readChecked(folder: string, id: string, write: (piece: Uint8Array) => void): void {
  const hash = createHash('sha256');
  const descriptor = openObject(folder, id);
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let count = 1; count > 0; ) {
      count = readSync(descriptor, piece);
      hash.update(piece.subarray(0, count));
      write(piece.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
  if (shorten(hash.digest('hex')) !== id)
    throw new UserError('damaged', `A part of the snapshot is damaged: ${objectPath(folder, id)}.`);
}

function openObject(folder: string, id: string): number {
  const path = objectPath(folder, id);
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new UserError('damaged', `A part of the snapshot is missing: ${path}.`);
  }
}
