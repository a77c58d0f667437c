const MINUTE_MS = 60_000;

/** A request of the last minute. */
export interface Spent {
  readonly at: number;
  tokens: number;
}

/** Requests and tokens of the last minute. Times are milliseconds of a clock that never goes back. */
export interface Minute {
  /** Returns the time until a request may start, 0 or less if it may start now. */
  waitMs(tokens: number, now: number): number;
  spend(tokens: number, now: number): Spent;
  /** Replaces the estimate of a request by the tokens that it took. Undefined: the estimate stands. */
  correct(spent: Spent, tokens: number | undefined): void;
}

export function createMinute(maxRequests: number, maxTokens: number): Minute {
  /** Oldest first. */
  const last: Spent[] = [];
  const forget = (now: number) => {
    while (last[0] !== undefined && last[0].at + MINUTE_MS <= now) last.shift();
  };

  /** Returns how many of the oldest requests must be over before another may start. */
  function tooMany(tokens: number): number {
    let over = Math.max(0, last.length - maxRequests + 1);
    if (maxTokens === Number.POSITIVE_INFINITY) return over;
    let sum = tokens;
    for (let index = last.length - 1; index >= over; index--) {
      const { tokens: taken = 0 } = last[index] ?? {};
      sum += taken;
      if (taken > 0 && sum > maxTokens) over = index + 1;
    }
    return over;
  }

  return {
    waitMs(tokens, now) {
      forget(now);
      const newest = last[tooMany(tokens) - 1];
      return newest === undefined ? 0 : newest.at + MINUTE_MS - now;
    },
    spend(tokens, now) {
      const spent = { at: now, tokens };
      last.push(spent);
      return spent;
    },
    correct(spent, tokens = spent.tokens) {
      spent.tokens = tokens;
    },
  };
}
