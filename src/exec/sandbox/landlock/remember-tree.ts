import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of a path, with everything that is needed to restore them. Plain data, which a journal can hold. */
export type Remembered =
  | { readonly type: 'nothing' }
  | { readonly type: 'file'; readonly mode: number; readonly content: Uint8Array; readonly mark: string }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'folder'; readonly mode: number; readonly mark: string; readonly entries: RememberedEntries }
  /** A pipe, a socket or a device: only compared, never made. */
  | { readonly type: 'other'; readonly mark: string };

export interface RememberedEntries {
  readonly known: ReadonlyMap<string, Remembered>;
  /** Whether the folder is a repository, some of whose entries may change: see `isFree`. */
  readonly isRepository: boolean;
}

/** Reports whether an entry of a folder may change. */
export function isFree({ isRepository }: RememberedEntries, name: string): boolean {
  return isRepository && isHistory(name);
}

/** Most that is kept in memory for one path. */
const LIMIT = { entries: 2000, bytes: 8 * 1024 * 1024 };

/** Reads a path and everything below it; undefined when that is too large to be kept. */
export function rememberTree(path: string): Remembered | undefined {
  const room = { ...LIMIT };
  const tree = remember(path, room);
  return room.entries < 0 || room.bytes < 0 ? undefined : tree;
}

/**
 * Returns a text that changes whenever a file is written to or replaced. Only the kernel can set the time of the last
 * change.
 */
export function fileMark({ dev, ino, size, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${ctimeNs}`;
}

/**
 * Returns a text that identifies a folder, whatever it contains. The inode number alone may soon belong to another
 * folder.
 */
export function folderMark({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

export function permissions({ mode }: BigIntStats): number {
  return Number(mode & 0o7777n);
}

type Room = { entries: number; bytes: number };

function remember(path: string, room: Room): Remembered {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return { type: 'nothing' };
  room.entries -= 1;
  if (stat.isSymbolicLink()) return { type: 'link', target: readlinkSync(path) };
  if (stat.isDirectory()) {
    return { type: 'folder', mode: permissions(stat), mark: folderMark(stat), entries: rememberEntries(path, room) };
  }
  if (!stat.isFile()) return { type: 'other', mark: folderMark(stat) };
  room.bytes -= Number(stat.size);
  const content = room.bytes < 0 ? new Uint8Array() : readFileSync(path);
  return { type: 'file', mode: permissions(stat), content, mark: fileMark(stat) };
}

function rememberEntries(folder: string, room: Room): RememberedEntries {
  const names = readdirSync(folder);
  const isRepository = names.includes('HEAD') && names.includes('objects');
  const known = new Map<string, Remembered>();
  for (const name of names) {
    if (room.entries < 0 || room.bytes < 0) break;
    if (!(isRepository && isHistory(name))) known.set(name, remember(join(folder, name), room));
  }
  return { known, isRepository };
}

/**
 * Entries of a repository that git itself changes all the time and never runs: commits, branches, the index, unfinished
 * operations.
 */
const HISTORY = new Set(
  'objects refs logs lfs index packed-refs HEAD shallow rr-cache rebase-merge rebase-apply sequencer gc.log gc.pid'.split(
    ' ',
  ),
);

function isHistory(name: string): boolean {
  return HISTORY.has(name) || /^(?:[A-Z_]+|.*\.lock|sharedindex\..*)$/.test(name);
}
