/** A queue of values in order, with a writer and a reader. */
export interface EventQueue<T> {
  push(value: T): void;
  /** Ends the queue: no more values will come. */
  end(): void;
  /** Yields each value once. May be called once. */
  values(): AsyncGenerator<T, void, undefined>;
}

/** Values that may wait one by one. A reader that keeps up never sees a merged value. */
const MOST_WAITING = 64;

/**
 * Returns an empty queue. The writer never waits: when many values wait for the reader, `merge` puts a value and the one
 * before it together, or returns undefined if they do not belong together.
 */
export function createEventQueue<T>(merge: (last: T, value: T) => T | undefined): EventQueue<T> {
  let waiting: T[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(value) {
      const last = waiting.length < MOST_WAITING ? undefined : waiting.at(-1);
      const merged = last === undefined ? undefined : merge(last, value);
      if (merged === undefined) waiting.push(value);
      else waiting[waiting.length - 1] = merged;
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *values() {
      for (;;) {
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
