import { UserError } from '../../base/errors.ts';
import { codexHolding } from './codex-lock.ts';
import { createWatchedLock, type WatchedLock, type WatchedLockOptions } from './watched-lock.ts';

/** The right of this process to write to a thread. */
export interface ThreadHold extends Pick<WatchedLock, 'check' | 'checkNow' | 'lost' | 'rest' | 'release'> {
  /** Takes the thread. Throws `UserError` if another process, or another part of this process, has it. */
  take(): void;
  /** Takes a thread that no other process can know yet, once the first request is on its way. */
  takeSoon(): void;
}

/** How long the first request may take to get on its way. */
const SOON_MS = 20;

/**
 * Threads that are open in this process, by home and id. The map belongs to the process: two stores over one home must
 * not write to the same thread.
 */
const open = new Map<string, WatchedLock>();

export function createThreadHold(options: WatchedLockOptions): ThreadHold {
  const { home, id } = options;
  const key = keyOf(home, id);
  const lock = createWatchedLock(options);
  let soon: NodeJS.Timeout | undefined;
  let refused: unknown;

  function claim(): void {
    lock.lost.throwIfAborted();
    if (refused !== undefined) throw refused;
    const other = open.get(key);
    if (other === lock) return;
    if (other && !isLost(other)) throw new UserError('in_use', openHere(id));
    open.set(key, lock);
  }

  function lockNow(): void {
    try {
      lock.take();
    } catch (error) {
      release();
      throw error;
    }
  }

  function release(): void {
    clearTimeout(soon);
    soon = undefined;
    lock.release();
    if (open.get(key) === lock) open.delete(key);
  }

  return {
    ...lock,
    take() {
      claim();
      const codex = lock.isTaken ? undefined : codexHolding(home, id);
      if (codex === undefined) {
        lockNow();
        return;
      }
      release();
      throw openInCodex(id, codex);
    },
    takeSoon() {
      claim();
      if (lock.isTaken || soon) return;
      soon = setTimeout(() => {
        try {
          lockNow();
        } catch (error) {
          // The next append throws it.
          refused = error;
        }
      }, SOON_MS);
      soon.unref();
    },
    release,
  };
}

/** Reports whether this process has a thread open, as far as it knows. */
export function isHeldHere(home: string, id: string): boolean {
  return open.get(keyOf(home, id))?.lost.aborted === false;
}

function keyOf(home: string, id: string): string {
  return JSON.stringify([home, id]);
}

function isLost(lock: WatchedLock): boolean {
  try {
    lock.checkNow();
    return false;
  } catch {
    return true;
  }
}

function openHere(id: string): string {
  return `The thread ${id} is open in this process already. Close that one first, or fork the thread.`;
}

function openInCodex(id: string, pid: number): UserError {
  const text = `The thread ${id} is open in Codex (process ${pid}). Close it there first, or go on in a copy of it.`;
  return new UserError('in_use', text, { remedy: { type: 'fork_thread', thread: id } });
}
