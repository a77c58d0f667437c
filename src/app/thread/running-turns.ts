/** The turns of a thread that have been asked for and have not ended. */
export interface RunningTurns {
  readonly running: number;
  run<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Interrupts them with a reason, and waits for their ends. */
  abort(reason?: unknown): Promise<void>;
}

export function createRunningTurns(): RunningTurns {
  const ends = new Map<AbortController, Promise<unknown>>();
  return {
    get running() {
      return ends.size;
    },
    async run(outer, work) {
      const own = new AbortController();
      // A composite signal: listeners on the program's signal would add up over many turns.
      const end = work(outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]));
      ends.set(own, end);
      try {
        return await end;
      } finally {
        ends.delete(own);
      }
    },
    async abort(reason = new Error('interrupted')) {
      for (const own of ends.keys()) own.abort(reason);
      await Promise.allSettled(ends.values());
    },
  };
}
