import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../../base/json-schema.ts';
import { codeOf } from '../files/system-error.ts';

export interface SnapshotLockOptions {
  readonly now: () => number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

const LOOK_AGAIN_MS = 20;
const RENEW_MS = 5000;
/** A lock that was not renewed for this time has no holder. */
const STALE_MS = 60_000;

/** Runs `work` in a folder while no other caller does, in this process or another. Throws the reason of the signal. */
export async function withStoreLock<T>(
  folder: string,
  options: SnapshotLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const release = tryLock(folder, options.now);
    if (release) {
      try {
        return await work();
      } finally {
        release();
      }
    }
    options.signal.throwIfAborted();
    await delay(LOOK_AGAIN_MS);
  }
}

/** Acquires the lock if it is free. Returns a function that releases it. */
export function tryLock(folder: string, now: () => number): (() => void) | undefined {
  const path = join(folder, 'lock');
  const token = randomBytes(8).toString('hex');
  if (!create(folder, path, JSON.stringify({ pid: process.pid, host: hostname(), token }))) {
    if (!isStale(path, now())) return undefined;
    setAside(path);
    return undefined;
  }
  const renewal = setInterval(() => renew(path), RENEW_MS);
  renewal.unref();
  return () => {
    clearInterval(renewal);
    if (holderOf(path)?.token === token) rmSync(path, { force: true });
  };
}

function create(folder: string, path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return false;
  }
}

function isStale(path: string, now: number): boolean {
  const renewedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (renewedAt === undefined) return false;
  const holder = holderOf(path);
  const isGone = holder?.host === hostname() && typeof holder.pid === 'number' && !isRunning(holder.pid);
  return isGone || now - renewedAt > STALE_MS;
}

/** Removes a stale lock. Renames it first, so that only one of several processes removes it. */
function setAside(path: string): void {
  const aside = `${path}-${randomBytes(4).toString('hex')}`;
  try {
    renameSync(path, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function holderOf(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function renew(path: string): void {
  try {
    const time = new Date();
    utimesSync(path, time, time);
  } catch {
    // The lock was removed as stale, and another process has made a new one.
  }
}
