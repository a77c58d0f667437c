import { UserError } from '../base/errors.ts';
import { codexHolding } from './codex-lock.ts';
import { type LockOptions, lockThread } from './lock.ts';

/** A thread that this process may write to, or will be told that it may not. */
export interface Hold {
  /** Takes it. Throws `UserError` when anybody has it already. */
  now(): void;
  /** For a thread that nobody can know of yet: takes it when the first request is on its way. */
  soon(): void;
  release(): void;
}

/** How long the first request may take to get on its way. */
const SOON_MS = 20;

/** Threads that are open in this process. */
const open = new Set<string>();

export function createHold(options: Omit<LockOptions, 'now'>, now: () => number): Hold {
  const key = JSON.stringify([options.home, options.id]);
  let claimed = false;
  let unlock: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let refused: unknown;

  function claim(): void {
    if (refused !== undefined) throw refused;
    if (claimed) return;
    if (open.has(key)) throw new UserError(openHere(options.id));
    open.add(key);
    claimed = true;
  }

  function lock(): void {
    try {
      unlock ??= lockThread({ ...options, now: now() });
    } catch (error) {
      release();
      throw error;
    }
  }

  function release(): void {
    clearTimeout(timer);
    timer = undefined;
    unlock?.();
    unlock = undefined;
    if (claimed) open.delete(key);
    claimed = false;
  }

  return {
    now() {
      claim();
      const codex = unlock ? undefined : codexHolding(options.home, options.id);
      if (codex === undefined) {
        lock();
        return;
      }
      release();
      throw new UserError(openInCodex(options.id, codex));
    },
    soon() {
      claim();
      if (unlock || timer) return;
      timer = setTimeout(() => {
        try {
          lock();
        } catch (error) {
          // Whoever writes next is told.
          refused = error;
        }
      }, SOON_MS);
      timer.unref();
    },
    release,
  };
}

function openHere(id: string): string {
  return `The thread ${id} is open in this process already. Close that one first, or fork the thread.`;
}

function openInCodex(id: string, pid: number): string {
  return `The thread ${id} is open in Codex (process ${pid}). Close it there first, or go on in a copy of it: oxbow exec fork ${id}`;
}
