import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findTraps, type Listings, trapKey } from './git-traps.ts';
import { changeMark, identityMark, settledMark } from './marks.ts';
import { openFolder } from './open-folder.ts';

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
  /** Keys of the traps among the entries that may change. The user knows about these. */
  readonly traps: ReadonlySet<string>;
}

/** Reports whether an entry of a folder may change. */
export function isFree({ isRepository }: RememberedEntries, name: string): boolean {
  return isRepository && isHistory(name);
}

/** Most that is kept in memory for one path. */
const LIMIT = { entries: 2000, bytes: 8 * 1024 * 1024 };

/**
 * Reads a path and everything below it; undefined when that is too large to be kept. Contents of files that have not
 * changed are taken from an earlier tree.
 */
export function rememberTree(path: string, listings: Listings, earlier?: Remembered): Remembered | undefined {
  const room: Room = { ...LIMIT, listings };
  const tree = remember(path, room, earlier);
  return isFull(room) ? undefined : tree;
}

export function permissions({ mode }: BigIntStats): number {
  return Number(mode & 0o7777n);
}

type Room = { entries: number; bytes: number; readonly listings: Listings };

const isFull = ({ entries, bytes }: Room) => entries < 0 || bytes < 0;

function remember(path: string, room: Room, earlier?: Remembered): Remembered {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return { type: 'nothing' };
  room.entries -= 1;
  if (stat.isSymbolicLink()) return { type: 'link', target: readlinkSync(path) };
  if (stat.isDirectory()) {
    const entries = rememberEntries(path, room, earlier?.type === 'folder' ? earlier.entries : undefined);
    return { type: 'folder', mode: permissions(stat), mark: identityMark(stat), entries };
  }
  if (!stat.isFile()) return { type: 'other', mark: identityMark(stat) };
  room.bytes -= Number(stat.size);
  if (earlier?.type === 'file' && earlier.mark === changeMark(stat)) return earlier;
  const content = isFull(room) ? new Uint8Array() : readFileSync(path);
  return { type: 'file', mode: permissions(stat), content, mark: settledMark(stat) };
}

function rememberEntries(folder: string, room: Room, earlier?: RememberedEntries): RememberedEntries {
  const names = readdirSync(folder);
  const isRepository = names.includes('HEAD') && names.includes('objects');
  const known = new Map<string, Remembered>();
  for (const name of names) {
    if (isFull(room)) break;
    if (!(isRepository && isHistory(name)))
      known.set(name, remember(join(folder, name), room, earlier?.known.get(name)));
  }
  return { known, isRepository, traps: isRepository ? rememberTraps(folder, room.listings) : new Set() };
}

function rememberTraps(repository: string, listings: Listings): ReadonlySet<string> {
  const folder = openFolder(repository);
  try {
    return new Set(findTraps(folder, isHistory, listings).map(trapKey));
  } finally {
    folder.close();
  }
}

/**
 * Entries of a repository that git itself changes all the time: commits, branches, the index, unfinished operations. Git
 * neither runs nor obeys them, except for traps.
 */
const HISTORY = new Set(
  'objects refs logs lfs index packed-refs HEAD shallow rr-cache rebase-merge rebase-apply sequencer gc.log gc.pid'.split(
    ' ',
  ),
);

function isHistory(name: string): boolean {
  return HISTORY.has(name) || /^(?:[A-Z_]+|.*\.lock|sharedindex\..*)$/.test(name);
}
