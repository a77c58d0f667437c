/** A queue of values in order, with a writer and a reader. */
export interface EventQueue<T> {
  push(value: T): void;
  /** Ends the queue: no more values will come. */
  end(): void;
  /** Yields each value once. May be called once. */
  values(): AsyncGenerator<T, void, undefined>;
}

export function createEventQueue<T>(): EventQueue<T> {
  let waiting: T[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(value) {
      waiting.push(value);
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
