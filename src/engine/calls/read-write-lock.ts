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

export function createReadWriteLock(): ReadWriteLock {
  let readers = 0;
  let writing = false;
  /** Number of holders that lend the lock. */
  let lending = 0;
  let waiting: Waiter[] = [];
  /** Called when the last reader has left, for a writer that takes the lock back. */
  let takeBack: (() => void) | undefined;

  const isFree = (mode: LockMode) => (mode === 'read' ? lending > 0 || !writing : !writing && readers === 0);
  const isNext = (waiter: Waiter) => isFree(waiter.mode) && (waiter === waiting[0] || lending > 0);

  function take(mode: LockMode): HeldLock {
    if (mode === 'write') writing = true;
    else readers++;
    let held = true;
    return {
      release() {
        if (!held) return;
        held = false;
        if (mode === 'write') writing = false;
        else readers--;
        grantWaiting();
      },
      async lend(work) {
        lending++;
        grantWaiting();
        try {
          return await work();
        } finally {
          lending--;
          if (mode === 'write' && readers > 0) await new Promise<void>((resolve) => (takeBack = resolve));
        }
      },
    };
  }

  function grantWaiting(): void {
    if (readers === 0) takeBack?.();
    for (let next = waiting.find(isNext); next; next = waiting.find(isNext)) {
      const granted = next;
      waiting = waiting.filter((other) => other !== granted);
      granted.grant();
    }
  }

  return {
    acquire(mode, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (isFree(mode) && (waiting.length === 0 || lending > 0)) return Promise.resolve(take(mode));
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting = waiting.filter((other) => other !== waiter);
          reject(signal.reason);
          grantWaiting();
        };
        const waiter: Waiter = {
          mode,
          grant: () => {
            signal.removeEventListener('abort', leave);
            resolve(take(mode));
          },
        };
        waiting.push(waiter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
