import { createDeadlines, type Deadlines } from './deadlines.ts';

/** Watches for silence: calls a function each time that nothing was written for a while, from the first touch on. */
export interface KeepAlive {
  /** Notes that something was written. */
  touch(): void;
  stop(): void;
}

/** Function that watches for silences. `onSilence` is called before a silence is `ms` long. */
export type StartKeepAlive = (onSilence: () => void, ms: number) => KeepAlive;

/** Number of looks at the clock in the length of a silence. */
const LOOKS = 4;

/** Returns a function that watches for silences. Silences of the same length share one timer. */
export function createKeepAlives(): StartKeepAlive {
  /** By their length. There are as many lengths as settings that were loaded. */
  const byLength = new Map<number, Deadlines>();
  return (onSilence, ms) => {
    const looks = byLength.get(ms) ?? createDeadlines(ms / LOOKS);
    byLength.set(ms, looks);
    return startKeepAlive(onSilence, ms, looks);
  };
}

function startKeepAlive(onSilence: () => void, ms: number, looks: Deadlines): KeepAlive {
  let written = 0;
  // No timer is reset with each write: there are many writes, and reading the clock costs far less.
  const look = (): void => {
    next = looks.set(look);
    const now = performance.now();
    // The next look may come too late.
    if (now - written < ms - ms / LOOKS) return;
    written = now;
    onSilence();
  };
  let next: ReturnType<Deadlines['set']> | undefined;
  return {
    touch() {
      written = performance.now();
      next ??= looks.set(look);
    },
    stop: () => next && looks.callOff(next),
  };
}
