import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { isRecord } from '../../base/json-schema.ts';

/** A cache of the contents of files by their status, so that only changed files are read again. */
export interface StatCache {
  /** Returns the name of the bytes; undefined where the file must be read. */
  find(path: string, stat: Stats): string | undefined;
  /** Remembers a file for the next snapshot. */
  set(path: string, stat: Stats, id: string): void;
  /**
   * Writes the files that were set since the cache was opened. Other files are forgotten if the snapshot was finished.
   * Ignores a failure to write, which only makes the next snapshot slower.
   */
  save(finished: boolean): void;
}

type Row = readonly [path: string, size: number, mtime: number, ctime: number, inode: number, id: string];

/** A file that changed so shortly before it was read may change again without a new status. */
const UNSETTLED_MS = 2000;
const VERSION = 1;

export interface CacheOptions {
  readonly path: string;
  readonly now: () => number;
  /** Reports whether the bytes are stored. Called where the machine may have stopped before they were written. */
  readonly has: (id: string, size: number) => boolean;
}

/** Opens a cache. An unreadable cache is empty. */
export function openStatCache({ path, now, has }: CacheOptions): StatCache {
  const known = new Map(readRows(path).map((row) => [row[0], row]));
  const openedAt = now();
  const isSafe = wasWrittenSinceBoot(path, openedAt);
  const next = new Map<string, Row>();
  let changed = false;
  return {
    find(file, stat) {
      const row = known.get(file);
      if (row === undefined || !isSame(row, stat)) return undefined;
      return isSafe || has(row[5], stat.size) ? row[5] : undefined;
    },
    set(file, stat, id) {
      const row = known.get(file);
      if (row && isSame(row, stat) && row[5] === id) {
        next.set(file, row);
        return;
      }
      if (Math.max(stat.mtimeMs, stat.ctimeMs) > openedAt - UNSETTLED_MS) return;
      next.set(file, [file, stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, id]);
      changed = true;
    },
    save(finished) {
      const rows = finished ? next : new Map([...known, ...next]);
      if (!changed && rows.size === known.size) return;
      try {
        writeRows(path, [...rows.values()]);
      } catch {
        // The old cache is still valid.
      }
    },
  };
}

/** Forgets the files whose bytes are not kept. */
export function filterStatCache(path: string, isKept: (id: string) => boolean): void {
  writeRows(
    path,
    readRows(path).filter((row) => isKept(row[5])),
  );
}

function isSame([, size, mtime, ctime, inode]: Row, stat: Stats): boolean {
  return stat.size === size && stat.mtimeMs === mtime && stat.ctimeMs === ctime && stat.ino === inode;
}

function readRows(path: string): readonly Row[] {
  try {
    const cache: unknown = JSON.parse(readFileSync(path, 'latin1'));
    return isRecord(cache) && cache.version === VERSION ? (cache.rows as Row[]) : [];
  } catch {
    return [];
  }
}

function writeRows(path: string, rows: readonly Row[]): void {
  const temporary = `${path}-${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(temporary, JSON.stringify({ version: VERSION, rows }), { encoding: 'latin1', mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function wasWrittenSinceBoot(path: string, now: number): boolean {
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return written !== undefined && written > now - uptime() * 1000;
}
