/**
 * A lock for many readers or one writer, in the order of arrival. A reader that arrives after a waiting writer waits
 * too, unless a holder lends the lock.
 */
export interface ReadWriteLock {
  /** Resolves with the held lock. Rejects if the signal aborts first. */
  acquire(mode: LockMode, signal: AbortSignal): Promise<HeldLock>;
}

/** A lock as its holder has it. */
export interface HeldLock {
  release(): void;
  /**
   * Lets all readers in while the work is under way, past waiting writers too. A writer has the lock alone again when
   * the promise resolves.
   */
  lend<T>(work: () => Promise<T>): Promise<T>;
}

type LockMode = 'read' | 'write';

interface Waiter {
  readonly mode: LockMode;
  readonly grant: () => void;
}

interface LockState {
  readers: number;
  writing: boolean;
  /** Number of holders that lend the lock. */
  lending: number;
  waiting: Waiter[];
  /** Called when the last reader has left, for a writer that takes the lock back. */
  takeBack?: () => void;
}

export function createReadWriteLock(): ReadWriteLock {
  const state: LockState = { readers: 0, writing: false, lending: 0, waiting: [] };
  return {
    acquire(mode, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (isFree(state, mode) && (state.waiting.length === 0 || state.lending > 0))
        return Promise.resolve(take(state, mode));
      return new Promise((resolve, reject) => {
        const leave = () => {
          state.waiting = state.waiting.filter((other) => other !== waiter);
          reject(signal.reason);
          grantWaiting(state);
        };
        const waiter: Waiter = {
          mode,
          grant: () => {
            signal.removeEventListener('abort', leave);
            resolve(take(state, mode));
          },
        };
        state.waiting.push(waiter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

function isFree({ readers, writing, lending }: LockState, mode: LockMode): boolean {
  return mode === 'read' ? lending > 0 || !writing : !writing && readers === 0;
}

function take(state: LockState, mode: LockMode): HeldLock {
  if (mode === 'write') state.writing = true;
  else state.readers++;
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      if (mode === 'write') state.writing = false;
      else state.readers--;
      grantWaiting(state);
    },
    async lend(work) {
      state.lending++;
      grantWaiting(state);
      try {
        return await work();
      } finally {
        state.lending--;
        if (mode === 'write') await readersLeft(state);
      }
    },
  };
}

async function readersLeft(state: LockState): Promise<void> {
  if (state.readers === 0) return;
  await new Promise<void>((resolve) => {
    state.takeBack = resolve;
  });
}

function grantWaiting(state: LockState): void {
  if (state.readers === 0) state.takeBack?.();
  const isNext = (waiter: Waiter) => isFree(state, waiter.mode) && (waiter === state.waiting[0] || state.lending > 0);
  for (let next = state.waiting.find(isNext); next; next = state.waiting.find(isNext)) {
    const granted = next;
    state.waiting = state.waiting.filter((other) => other !== granted);
    granted.grant();
  }
}
