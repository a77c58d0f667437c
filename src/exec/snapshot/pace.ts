import { setImmediate as pause } from 'node:timers/promises';

/** Pauses in long work on files, for other work of this process and to notice an abort. */
export interface Pace {
  /** Reports whether it is time to rest. Cheap enough to call for each file. */
  isDue(): boolean;
  /** Throws the reason of the signal after its abort. */
  rest(): Promise<void>;
}

const STRETCH_MS = 8;

export function createPace(signal: AbortSignal): Pace {
  let restedAt = performance.now();
  return {
    isDue: () => performance.now() - restedAt > STRETCH_MS,
    async rest() {
      await pause();
      signal.throwIfAborted();
      restedAt = performance.now();
    },
  };
}
