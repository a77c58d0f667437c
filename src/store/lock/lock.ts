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
import { isAlive, isMark, ownMark, type ProcessMark } from '../../machine/process-mark.ts';
import { codexHolding } from './codex-lock.ts';

export interface LockOptions {
  readonly home: string;
  /** Id of the thread. */
  readonly id: string;
  /** Path of its rollout. */
  readonly path: string;
  readonly now: number;
  /** Called if a lock was taken over from a process that could not be looked up. */
  readonly onNote: (note: string) => void;
}

/** A lock that this process has taken. */
export interface ThreadLock {
  /**
   * Shows that this process is alive. Returns the name of another process that has taken the lock, or undefined. A lock
   * that is gone is made again if `isUntouched` reports that no other process has used the thread meanwhile.
   */
  renew(now: number, isUntouched: () => boolean): string | undefined;
  release(): void;
}

/**
 * Takes a thread for this process. Throws `UserError` if another process has it. If the home cannot hold locks, the
 * thread is used without one.
 *
 * A lock is a dangling symbolic link whose target names the process, so that it is made and read in one step.
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
    // The home cannot be written to, or another process is changing the lock. The next renewal will show.
  }
  return undefined;
}

/** Returns the process that a lock names, be it ours or that of Codex. Returns undefined if no lock does. */
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
    // The lock is gone already, or the home became read-only. The next process will see that this one has ended.
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

/** Makes a lock. Returns false if there is one already. */
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
  /** Undefined if the mark is not in our format. */
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

/** Time after its last sign of life for which an invisible process counts as alive. */
const UNSEEN_MS = 10 * 60 * 1000;

function hasEnded(path: string, { mark }: Holder, rival: LockOptions): boolean {
  const alive = mark && isAlive(mark);
  if (alive !== undefined) return !alive;
  const lock = lstatSync(path, { throwIfNoEntry: false });
  const rollout = statSync(rival.path, { throwIfNoEntry: false });
  const lastSign = Math.max(lock?.mtimeMs ?? 0, rollout?.mtimeMs ?? 0);
  if (Math.abs(rival.now - lastSign) < UNSEEN_MS) return false;
  rival.onNote(`was locked by ${nameOf(mark)}, which gave no sign of life for a while; it is used here now`);
  return true;
}

/**
 * Replaces the mark of a process that has ended by ours. Only one process at a time may replace this mark. That process
 * holds a lock named after the mark, and checks the mark again.
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

/** Removes the draft of a process that died during a take-over. */
function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There was no draft.
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
