import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { codexHolding } from './codex-lock.ts';
import { isAlive, isMark, ownMark, type ProcessMark } from './process-mark.ts';

export interface LockOptions {
  readonly home: string;
  /** The id of the thread. */
  readonly id: string;
  /** The path of its rollout. */
  readonly path: string;
  readonly now: number;
  /** Called when a lock was taken over although its process could not be looked for. */
  readonly onNote: (note: string) => void;
}

/** A lock that this process has taken. */
export interface ThreadLock {
  /**
   * Shows that this process lives. Returns the name of the process that has taken the lock since; undefined: none has. A lock
   * that is gone is made again where `isUntouched` says that no other process has used the thread meanwhile.
   */
  renew(now: number, isUntouched: () => boolean): string | undefined;
  release(): void;
}

/**
 * Takes a thread for this process. Throws `UserError` when another one has it. A lock is a symbolic link that leads nowhere:
 * its target names the process, so that it is made and read in one step. Where no lock can be made the thread is used
 * without.
 */
export function lockThread(options: LockOptions): ThreadLock {
  const path = lockPath(options);
  const mark = JSON.stringify({ ...ownMark(), nonce: held.nextNonce() });
  try {
    acquire(path, mark, options);
  } catch (error) {
    if (error instanceof UserError) throw error;
    return { renew: () => undefined, release() {} };
  }
  held.add(path, mark);
  return {
    renew: (now, isUntouched) => renew(path, mark, now, isUntouched),
    release() {
      held.remove(path);
      release(path, mark);
    },
  };
}

function renew(path: string, mark: string, now: number, isUntouched: () => boolean): string | undefined {
  try {
    if (readHolder(path) === undefined) {
      if (!isUntouched()) return 'another process';
      symlinkSync(mark, path);
    }
    const holder = readHolder(path);
    if (holder && holder.text !== mark) return nameOf(holder.mark);
    lutimesSync(path, now / 1000, now / 1000);
  } catch {
    // The home cannot be written to, or another process is at it: the next look will tell.
  }
  return undefined;
}

/** Returns the process that a lock names, ours or Codex's; undefined when none does. */
export function lockHolder(home: string, id: string): { readonly pid: number } | undefined {
  const codex = codexHolding(home, id);
  if (codex !== undefined) return { pid: codex };
  const holder = readHolder(lockPath({ home, id }));
  return holder?.mark && isAlive(holder.mark) !== false ? { pid: holder.mark.pid } : undefined;
}

/** Locks that this process holds. They belong to the process, which removes them when it exits by itself. */
const held = createHeldLocks();

function createHeldLocks() {
  const marks = new Map<string, string>();
  let nonces = 0;
  const releaseAll = () => {
    for (const [path, mark] of marks) release(path, mark);
  };
  return {
    /** Returns a text that no other mark of this process has. */
    nextNonce(): string {
      if (nonces === 0) process.once('exit', releaseAll);
      return `${++nonces}-${Math.random().toString(36).slice(2)}`;
    },
    add: (path: string, mark: string) => void marks.set(path, mark),
    remove: (path: string) => void marks.delete(path),
  };
}

function release(path: string, mark: string): void {
  try {
    if (readlinkSync(path) === mark) unlinkSync(path);
  } catch {
    // Gone already, or in a home that became read-only: the next process sees that this one has ended.
  }
}

function lockPath({ home, id }: { readonly home: string; readonly id: string }): string {
  return join(home, FOLDER, id);
}

const FOLDER = 'thread-locks';
const MOST_TRIES = 500;

function acquire(path: string, mark: string, rival: LockOptions): void {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (make(path, mark, rival.home)) return;
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (!hasEnded(path, holder, rival)) throw heldError(path, holder, rival.id);
    if (takeOver(path, holder, mark, rival)) return;
  }
  throw new UserError('in_use', `The thread ${rival.id} is being taken by other processes all the time. Try again.`);
}

/** False when there is one already. */
function make(path: string, mark: string, home: string): boolean {
  try {
    symlinkSync(mark, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT') throw error;
    mkdirSync(join(home, FOLDER), { recursive: true, mode: 0o700 });
    return false;
  }
}

interface Holder {
  readonly text: string;
  /** Undefined when it is none of ours. */
  readonly mark: (ProcessMark & { readonly nonce?: unknown }) | undefined;
}

function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return { text, mark: parseMark(text) };
}

function parseMark(text: string): ProcessMark | undefined {
  try {
    const mark: unknown = JSON.parse(text);
    return isMark(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** How long a process that cannot be seen counts as alive after the last sign of it. */
const UNSEEN_MS = 10 * 60 * 1000;

function hasEnded(path: string, { mark }: Holder, rival: LockOptions): boolean {
  const alive = mark && isAlive(mark);
  if (alive !== undefined) return !alive;
  const lock = lstatSync(path, { throwIfNoEntry: false });
  const rollout = statSync(rival.path, { throwIfNoEntry: false });
  const lastSign = Math.max(lock?.mtimeMs ?? 0, rollout?.mtimeMs ?? 0);
  if (Math.abs(rival.now - lastSign) < UNSEEN_MS) return false;
  rival.onNote(`was locked by ${nameOf(mark)}, of which nothing was heard for a while; it is used here now`);
  return true;
}

/**
 * Puts our mark in the place of one whose process has ended. Only one process at a time may do that for this one mark:
 * it holds a lock that is named after it, and looks again.
 */
function takeOver(path: string, { text, mark: dead }: Holder, mark: string, rival: LockOptions): boolean {
  const inner = `${path}.after-${String(dead?.nonce ?? Buffer.from(text).toString('hex')).slice(0, 40)}`;
  try {
    acquire(inner, mark, rival);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    pause();
    return false;
  }
  try {
    if (readHolder(path)?.text !== text) return false;
    const draft = `${inner}.draft`;
    tryUnlink(draft);
    symlinkSync(mark, draft);
    renameSync(draft, path);
    return true;
  } finally {
    release(inner, mark);
  }
}

/** What died in the middle of a take-over may have left one. */
function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There is none.
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

function heldError(path: string, { mark }: Holder, id: string): UserError {
  if (mark?.pid === process.pid && isAlive(mark)) {
    const text = `The thread ${id} is open in this process already. Close that one first, or fork the thread.`;
    return new UserError('in_use', text);
  }
  const state =
    mark && isAlive(mark)
      ? `is open in process ${mark.pid}. Wait until that has ended`
      : `may be open in ${nameOf(mark)}, which cannot be seen from here. Wait until that has ended (then remove ${path})`;
  const remedy = { type: 'fork_thread', thread: id } as const;
  return new UserError('in_use', `The thread ${id} ${state}, or go on in a copy of it.`, { remedy });
}

function nameOf(mark: ProcessMark | undefined): string {
  return mark ? `process ${mark.pid} of ${mark.host}` : 'a process that left no name';
}
