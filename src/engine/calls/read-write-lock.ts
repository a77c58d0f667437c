/**
 * A lock for many readers or one writer, in the order of arrival. A reader that arrives after a waiting writer waits
 * too.
 */
export interface ReadWriteLock {
  /** Resolves with the function that releases the lock. Rejects if the signal aborts first. */
  acquire(mode: 'read' | 'write', signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly mode: 'read' | 'write';
  readonly grant: () => void;
}

export function createReadWriteLock(): ReadWriteLock {
  let readers = 0;
  let writing = false;
  let waiting: Waiter[] = [];

  const isFree = (mode: 'read' | 'write') => !writing && (mode === 'read' || readers === 0);

  function take(mode: 'read' | 'write'): () => void {
    if (mode === 'write') writing = true;
    else readers++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (mode === 'write') writing = false;
      else readers--;
      grantWaiting();
    };
  }

  function grantWaiting(): void {
    for (let next = waiting[0]; next && isFree(next.mode); next = waiting[0]) {
      waiting.shift();
      next.grant();
    }
  }

  return {
    acquire(mode, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (waiting.length === 0 && isFree(mode)) return Promise.resolve(take(mode));
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
