import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { codeOf } from '../files/system-error.ts';
import { type FolderHandle, openFolderHandle } from './folder-handle.ts';
import { encodeFolder, isPlainName } from './folder-object.ts';
import type { Listing } from './list-workspace.ts';
import type { ObjectStore } from './object-store.ts';
import type { Pace } from './pace.ts';
import { SnapshotFailure } from './snapshot-failure.ts';
import type { StatCache } from './stat-cache.ts';
import { storeFile } from './store-file.ts';
import { type FolderEntry, isAtOrBelow, joinPath, type KeptEntry, type LeftReason, type Tree } from './tree.ts';

export interface ScanWorkspaceOptions {
  readonly root: string;
  readonly listing: Listing;
  /** Further files to keep if they exist, ignored or not. */
  readonly also: Iterable<string>;
  /** Paths that are left out with everything below them, except files of `also`. */
  readonly skip: ReadonlyMap<string, LeftReason>;
  /** Paths in the workspace that are never read, with everything below them. */
  readonly barred: ReadonlySet<string>;
  readonly objects: ObjectStore;
  readonly cache: StatCache;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly pace: Pace;
}

export interface Scanned extends Tree {
  /** Name of the top folder. */
  readonly id: string;
  /** Status of files and links when they were read. */
  readonly stats: ReadonlyMap<string, Stats>;
  readonly bytes: number;
}

/**
 * Stores the files that git lists in a workspace. Each folder is held open while its files are read, so that nothing
 * outside is read when a link replaces the folder meanwhile. Throws `SnapshotFailure`, and the error of the system
 * where bytes cannot be stored.
 */
export async function scanWorkspace(options: ScanWorkspaceOptions): Promise<Scanned> {
  const scan: Scan = { ...options, entries: new Map(), left: new Map(), stats: new Map(), bytes: 0 };
  const top = openFolderHandle(options.root);
  try {
    const id = await scanFolder(scan, plan(options), top, '');
    const { entries, left, stats, bytes } = scan;
    return { id, entries, left, stats, bytes };
  } finally {
    top.close();
  }
}

interface Scan extends ScanWorkspaceOptions {
  readonly entries: Map<string, KeptEntry>;
  readonly left: Map<string, LeftReason>;
  readonly stats: Map<string, Stats>;
  bytes: number;
}

/** Files and folders to read in one folder. */
interface Planned {
  readonly files: Set<string>;
  readonly folders: Map<string, Planned>;
  readonly left: Map<string, LeftReason>;
}

const nothing = (): Planned => ({ files: new Set(), folders: new Map(), left: new Map() });

function plan({ listing, also, skip, barred }: ScanWorkspaceOptions): Planned {
  const top = nothing();
  const add = (paths: Iterable<string>, except: readonly { readonly size: number; has(path: string): boolean }[]) => {
    const some = except.filter(({ size }) => size > 0);
    for (const path of paths) {
      if (!some.some((paths) => isAtOrBelow(path, paths))) putAt(top, path, (folder, name) => folder.files.add(name));
    }
  };
  add(listing.files, [barred, skip]);
  add(also, [barred]);
  const leave = (path: string, reason: LeftReason) => putAt(top, path, (folder, name) => folder.left.set(name, reason));
  for (const [path, reason] of skip) leave(path, reason);
  for (const path of listing.ignored) leave(path, 'ignored');
  for (const path of listing.repositories) leave(path, 'repository');
  for (const path of listing.unreadable) leave(path, 'unreadable');
  for (const path of barred) leave(path, 'barred');
  return top;
}

function putAt(top: Planned, path: string, put: (folder: Planned, name: string) => void): void {
  const names = path.split('/');
  if (!names.every(isPlainName)) return;
  const name = names.pop() ?? '';
  let folder = top;
  for (const part of names) {
    const next = folder.folders.get(part) ?? nothing();
    folder.folders.set(part, next);
    folder = next;
  }
  put(folder, name);
}

async function scanFolder(scan: Scan, planned: Planned, held: FolderHandle, path: string): Promise<string> {
  const found: [string, FolderEntry][] = [];
  const leave = (name: string, reason: LeftReason) => {
    scan.left.set(joinPath(path, name), reason);
    found.push([name, { kind: 'left', reason }]);
  };
  for (const [name, reason] of planned.left) leave(name, reason);
  for (const name of planned.files) {
    if (scan.pace.isDue()) await scan.pace.rest();
    const scanned = scanFile(scan, held, path, name, planned.folders.has(name));
    // Most files are known, and need no await.
    const entry: MaybeEntry = scanned instanceof Promise ? await scanned : scanned;
    if (entry?.kind === 'left') leave(name, entry.reason);
    else if (entry) {
      scan.entries.set(joinPath(path, name), entry);
      found.push([name, entry]);
    }
  }
  for (const [name, below] of planned.folders) {
    const entry = await scanBelow(scan, below, held, joinPath(path, name), name);
    if (entry) found.push([name, entry]);
  }
  return found.length === 0 && path !== '' ? '' : scan.objects.put(encodeFolder(found));
}

/** Returns undefined where the path is not a folder, or nothing in it is kept. */
async function scanBelow(
  scan: Scan,
  planned: Planned,
  held: FolderHandle,
  path: string,
  name: string,
): Promise<FolderEntry | undefined> {
  const folder = openBelow(held, name);
  if (folder === undefined) return undefined;
  if (folder === 'unreadable') {
    scan.left.set(path, 'unreadable');
    return { kind: 'left', reason: 'unreadable' };
  }
  try {
    const mode = lstatSync(held.entry(name)).mode & 0o777;
    // Before the entries in the folder.
    scan.entries.set(path, { kind: 'folder', mode, id: '' });
    const id = await scanFolder(scan, planned, folder, path);
    const entry: KeptEntry = { kind: 'folder', mode, id };
    if (id === '') scan.entries.delete(path);
    else scan.entries.set(path, entry);
    return id === '' ? undefined : entry;
  } finally {
    folder.close();
  }
}

function openBelow(held: FolderHandle, name: string): FolderHandle | 'unreadable' | undefined {
  try {
    return held.open(name);
  } catch (error) {
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '') ? undefined : 'unreadable';
  }
}

type MaybeEntry = FolderEntry | undefined;

/** Returns undefined where the file does not exist. */
function scanFile(
  scan: Scan,
  held: FolderHandle,
  folder: string,
  name: string,
  isFolderToo: boolean,
): MaybeEntry | Promise<MaybeEntry> {
  const entry = held.entry(name);
  const path = joinPath(folder, name);
  const stat = statOf(entry);
  if (stat === undefined) return undefined;
  if (stat === 'unreadable') return { kind: 'left', reason: 'unreadable' };
  // Git lists a submodule like a file. An empty folder is not a submodule, or not checked out yet.
  if (stat.isDirectory()) return isFolderToo || isEmpty(entry) ? undefined : { kind: 'left', reason: 'repository' };
  if (stat.isSymbolicLink()) return scanLink(scan, entry, path, stat);
  if (!stat.isFile()) return { kind: 'left', reason: 'special' };
  if (stat.size > scan.maxFileBytes) return { kind: 'left', reason: 'large' };
  count(scan, stat.size);
  const id = scan.cache.find(path, stat);
  return id === undefined ? scanContent(scan, entry, path) : noted(scan, path, stat, id);
}

async function scanContent(scan: Scan, entry: Buffer, path: string): Promise<MaybeEntry> {
  const kept = await storeFile(entry, scan);
  if (kept === null) return undefined;
  return 'left' in kept ? { kind: 'left', reason: kept.left } : noted(scan, path, kept.stat, kept.id);
}

function noted({ cache, stats }: Scan, path: string, stat: Stats, id: string): FolderEntry {
  cache.set(path, stat, id);
  stats.set(path, stat);
  return { kind: 'file', mode: stat.mode & 0o777, id };
}

function scanLink({ objects, stats }: Scan, entry: Buffer, path: string, stat: Stats): FolderEntry {
  const target = targetOf(entry);
  if (target === undefined) return { kind: 'left', reason: 'changing' };
  stats.set(path, stat);
  return { kind: 'link', id: objects.put(target) };
}

function isEmpty(folder: Buffer): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

function targetOf(entry: Buffer): Buffer | undefined {
  try {
    return readlinkSync(entry, 'buffer');
  } catch {
    return undefined;
  }
}

function statOf(entry: Buffer): Stats | 'unreadable' | undefined {
  try {
    return lstatSync(entry, { throwIfNoEntry: false });
  } catch {
    return 'unreadable';
  }
}

function count(scan: Scan, size: number): void {
  scan.bytes += size;
  if (scan.bytes > scan.maxBytes)
    throw new SnapshotFailure(`it has more than ${scan.maxBytes} bytes (snapshots.max_bytes)`);
}
