/** The largest time that a timer of Node can wait. */
const MOST_MS = 2 ** 31 - 1;

/** Limits of the time of a call. */
export interface CallLimits {
  /** Time without progress after which the call is cancelled. */
  readonly timeoutMs: number;
  /** Time after which the call is cancelled, however much progress there is. */
  readonly maxTotalMs: number;
  readonly signal: AbortSignal;
}

/** A clock that ends a call which takes too long. */
export interface CallClock {
  /** Aborts when the time is up, or the signal of the caller aborts. */
  readonly signal: AbortSignal;
  /** The time that was up, in ms. */
  expired(): number | undefined;
  /** Begins the time without progress anew. */
  progressed(): void;
  /** Runs work whose time does not count, such as a question to the user. */
  paused<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

export function createCallClock({ timeoutMs, maxTotalMs, signal }: CallLimits): CallClock {
  const ended = new AbortController();
  let expired: number | undefined;
  let pauses = 0;
  let idle: NodeJS.Timeout | undefined;
  let total: NodeJS.Timeout | undefined;
  let left = maxTotalMs;
  let since = 0;
  const expire = (ms: number) => {
    expired = ms;
    ended.abort(new Error(`No answer within ${ms} ms.`));
  };
  const timer = (ms: number, limit: number) => setTimeout(expire, Math.min(ms, MOST_MS), limit);
  const restart = () => {
    clearTimeout(idle);
    if (pauses === 0) idle = timer(timeoutMs, timeoutMs);
  };
  const run = () => {
    since = performance.now();
    total = timer(left, maxTotalMs);
    restart();
  };
  const halt = () => {
    clearTimeout(idle);
    clearTimeout(total);
    left -= performance.now() - since;
  };
  run();
  return {
    signal: AbortSignal.any([signal, ended.signal]),
    expired: () => expired,
    progressed: restart,
    async paused(work) {
      if (pauses++ === 0) halt();
      try {
        return await work();
      } finally {
        if (--pauses === 0) run();
      }
    },
    stop() {
      pauses = Number.POSITIVE_INFINITY;
      halt();
    },
  };
}
