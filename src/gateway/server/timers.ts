import { createKeepAlives, type StartKeepAlive } from './keep-alive.ts';
import { createTimeLimits, type StartTimeLimit } from './time-limit.ts';

/** The timers of all exchanges of a gateway. */
export interface Timers {
  readonly startTimeLimit: StartTimeLimit;
  readonly startKeepAlive: StartKeepAlive;
}

export function createTimers(): Timers {
  return { startTimeLimit: createTimeLimits(), startKeepAlive: createKeepAlives() };
}
