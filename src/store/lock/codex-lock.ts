import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the process of a Codex that has a thread open, or undefined if no such process is visible. Codex holds a kernel
 * lock on a file for the thread, and the kernel lists its locks. The file alone proves nothing: Codex may leave it behind.
 */
export function codexHolding(home: string, id: string): number | undefined {
  const path = join(home, 'thread-writer-locks', `${id}.lock`);
  const file = statOf(path);
  if (!file) return undefined;
  const device = `${hex(majorOf(file.dev))}:${hex(minorOf(file.dev))}`;
  for (const line of readLocks()) {
    const [, pid, where, inode] = LOCK.exec(line) ?? [];
    if (pid === undefined || where === undefined || inode !== String(file.ino)) continue;
    // The kernel lists some file systems under another device number than `stat` reports.
    if (where === device || hasOpen(pid, path)) return Number(pid);
  }
  return undefined;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Matches a line such as `3: FLOCK  ADVISORY  WRITE 26218 fe:00:2589240 0 EOF`. */
const LOCK = /: FLOCK +\w+ +WRITE +(\d+) ([\da-f]+:[\da-f]+):(\d+) /;

function readLocks(): string[] {
  try {
    return readFileSync('/proc/locks', 'latin1').split('\n');
  } catch {
    return [];
  }
}

function hasOpen(pid: string, path: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => readlinkSync(join(folder, fd)) === path);
  } catch {
    return false;
  }
}

const hex = (value: bigint) => value.toString(16).padStart(2, '0');
const majorOf = (dev: bigint) => (dev >> 8n) & 0xfffn;
const minorOf = (dev: bigint) => (dev & 0xffn) | ((dev >> 12n) & 0xfff00n);
