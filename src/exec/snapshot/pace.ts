import { setImmediate as pause } from 'node:timers/promises';

/** Has long work on files stop in between: for others in this process, and to see whether it should go on. */
export interface Pace {
  /** Whether it is time to rest. Cheap enough to be asked for each file. */
  isDue(): boolean;
  /** Throws the signal's reason when it has aborted. */
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
