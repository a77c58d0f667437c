import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeFolder } from './folder-object.ts';
import { objectPath, TEMPORARY } from './object-store.ts';
import { createPace, type Pace } from './pace.ts';
import { readRecords, type SnapshotRecord, writeRecords } from './snapshot-list.ts';
import { type SnapshotPaths, snapshotPaths, snapshotsFolder } from './snapshot-paths.ts';
import { filterStatCache } from './stat-cache.ts';
import { tryLock } from './store-lock.ts';

export interface TidyOptions {
  readonly home: string;
  readonly keepDays: number;
  /** Reports whether a thread still exists. */
  readonly hasThread: (id: string) => Promise<boolean>;
  readonly now: () => number;
  /** Longest time for the cleanup. The rest is done another day. */
  readonly timeoutMs: number;
}

const DAY_MS = 86_400_000;
/** Files that were written so recently may belong to a snapshot that is not on the list yet. */
const RECENT_MS = 3_600_000;

/**
 * Deletes snapshots that are too old or whose thread is gone, with the bytes that no other snapshot needs. Cleans up
 * each workspace at most once a day, and only while its store is not locked. Never throws.
 */
export async function tidySnapshots(options: TidyOptions): Promise<void> {
  const pace = createPace(AbortSignal.timeout(options.timeoutMs));
  for (const key of namesIn(snapshotsFolder(options.home))) {
    const paths = snapshotPaths(options.home, key);
    try {
      if (!isDue(paths, options.now())) continue;
      const release = tryLock(paths.folder, options.now);
      if (release === undefined) continue;
      try {
        writeFileSync(paths.tidied, '', { mode: 0o600 });
        await tidy(paths, options, pace);
        emptyUnused(paths);
      } finally {
        release();
      }
      removeFolder(paths.folder);
    } catch {
      return;
    }
  }
}

function isDue({ tidied, folder }: SnapshotPaths, now: number): boolean {
  const last = statSync(tidied, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(now - last) > DAY_MS && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function tidy(paths: SnapshotPaths, options: TidyOptions, pace: Pace): Promise<void> {
  const records = readRecords(paths.kept);
  const wanted = await stillWanted(records, options);
  const isWhole = wanted.length === records.length;
  if (isWhole && records.length > 0) return;
  const needed = await neededBy(wanted, paths, pace);
  // In this order no snapshot on the list ever misses its bytes, even after an interruption.
  writeRecords(paths.kept, wanted);
  filterStatCache(paths.cache, (id) => needed.has(id));
  await sweep(paths, needed, options, pace);
}

async function stillWanted(
  records: readonly SnapshotRecord[],
  { keepDays, hasThread, now }: TidyOptions,
): Promise<readonly SnapshotRecord[]> {
  const young = records.filter(({ at }) => now() - at <= keepDays * DAY_MS);
  const threads = new Map<string, boolean>();
  for (const { thread } of young) if (!threads.has(thread)) threads.set(thread, await hasThread(thread));
  return young.filter(({ thread }) => threads.get(thread));
}

async function neededBy(records: readonly SnapshotRecord[], paths: SnapshotPaths, pace: Pace): Promise<Set<string>> {
  const needed = new Set<string>();
  const open = records.map(({ id }) => id);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (needed.has(id)) continue;
    needed.add(id);
    if (pace.isDue()) await pace.rest();
    for (const [, entry] of decodeFolder(readBytes(paths, id)) ?? []) {
      if (entry.kind === 'folder') open.push(entry.id);
      else if (entry.kind !== 'left') needed.add(entry.id);
    }
  }
  return needed;
}

/** Returns no bytes for a missing object: the rest of its snapshot is still useful. */
function readBytes({ objects }: SnapshotPaths, id: string): Uint8Array {
  try {
    return readFileSync(objectPath(objects, id));
  } catch {
    return new Uint8Array();
  }
}

async function sweep(
  paths: SnapshotPaths,
  needed: ReadonlySet<string>,
  { now }: TidyOptions,
  pace: Pace,
): Promise<void> {
  const remove = async (path: string) => {
    if (pace.isDue()) await pace.rest();
    if (now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > RECENT_MS) rmSync(path, { force: true });
  };
  for (const part of namesIn(paths.objects)) {
    if (part.startsWith(TEMPORARY)) await remove(join(paths.objects, part));
    if (part.length !== 2) continue;
    const folder = join(paths.objects, part);
    for (const rest of namesIn(folder)) if (!needed.has(part + rest)) await remove(join(folder, rest));
    removeFolder(folder);
  }
}

/** Removes the files of a workspace without snapshots. */
function emptyUnused(paths: SnapshotPaths): void {
  if (readRecords(paths.kept).length > 0) return;
  removeFolder(paths.objects);
  if (existsSync(paths.objects)) return;
  for (const path of [paths.cache, paths.kept, paths.tidied, paths.workspace]) rmSync(path, { force: true });
  rmSync(paths.emptyRepository, { recursive: true, force: true });
}

/** Removes an empty folder. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
