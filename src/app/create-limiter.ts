import { ModelError, UserError } from '../base/errors.ts';
import type { LimitedRequest, Limiter, PermitEnd, RequestPermit } from '../base/limiter.ts';
import { clockTime } from '../base/local-time.ts';
import type { World } from '../base/world.ts';
import { checkOptions } from '../config/check-options.ts';
import { realWorld } from '../config/real-world.ts';
import { createMinute, type Spent } from './minute.ts';

/** Options of `createLimiter`. A limit that is left out does not exist. */
export interface LimiterOptions {
  /** Number of answers that may be under way at once. */
  readonly concurrency?: number;
  /** Number of requests that may be sent in any minute. */
  readonly requestsPerMinute?: number;
  /**
   * Number of tokens that requests of any minute may take. An estimate counts until the server reports the tokens of
   * the answer. A request that is larger than the limit is sent when no other counts.
   */
  readonly tokensPerMinute?: number;
  /** Clock and random numbers. Tests pass their own, whose clock goes on while it sleeps. */
  readonly world?: Pick<World, 'now' | 'monotonic' | 'random' | 'sleep'>;
}

/**
 * Makes a limiter with one queue for all threads and agents that it is passed to. The first to come is the first to be
 * served.
 *
 * @example
 * const limiter = createLimiter({ concurrency: 20, requestsPerMinute: 500 });
 * const agents = ['/srv/one', '/srv/two'].map((cwd) => createAgent({ cwd, limiter }));
 */
export function createLimiter(options: LimiterOptions = {}): Limiter {
  checkOptions('createLimiter', options, LIMITER_OPTIONS);
  const { world = realWorld() } = options;
  const concurrency = limitOf('concurrency', options);
  const minute = createMinute(limitOf('requestsPerMinute', options), limitOf('tokensPerMinute', options));
  const pause = createPause(world, options.requestsPerMinute);
  /** In the order in which they came. */
  const queue = new Set<Waiting>();
  let underWay = 0;
  let sleeping: AbortController | undefined;

  /** Starts the requests at the head of the queue that may start, and sleeps until the next one may. */
  function advance(): void {
    sleeping?.abort();
    sleeping = undefined;
    for (const waiting of queue) {
      const now = world.monotonic();
      if (pause.isLong(now)) {
        waiting.fail(pause.error(now));
        continue;
      }
      if (underWay >= concurrency) return;
      const waitMs = Math.max(pause.leftMs(now), minute.waitMs(waiting.estimate, now));
      if (waitMs > 0) {
        sleep(waitMs);
        return;
      }
      underWay++;
      pause.started(now);
      waiting.start(permitOf(minute.spend(waiting.estimate, now)));
    }
  }

  function sleep(ms: number): void {
    const controller = new AbortController();
    sleeping = controller;
    world.sleep(ms, controller.signal).then(
      () => sleeping === controller && advance(),
      () => {},
    );
  }

  function permitOf(spent: Spent): RequestPermit {
    let held = true;
    return {
      release(end) {
        if (!held) return;
        held = false;
        underWay--;
        minute.correct(spent, tokensOf(end));
        if (end.retryAfterMs !== undefined) pause.begin(end.retryAfterMs, world.monotonic());
        advance();
      },
    };
  }

  return { acquire: (request) => waitIn(queue, request, advance) };
}

/** Enters a queue, and leaves it when the request starts, fails or is interrupted. */
function waitIn(
  queue: Set<Waiting>,
  { signal, estimate }: LimitedRequest,
  advance: () => void,
): Promise<RequestPermit> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => {
      signal.removeEventListener('abort', abort);
      queue.delete(waiting);
    };
    const waiting: Waiting = {
      estimate,
      start(permit) {
        leave();
        resolve(permit);
      },
      fail(reason) {
        leave();
        reject(reason);
      },
    };
    const abort = () => {
      waiting.fail(signal.reason);
      advance();
    };
    signal.addEventListener('abort', abort);
    queue.add(waiting);
    // The others wait for the head of the queue.
    if (queue.size === 1) advance();
  });
}

interface Waiting extends Pick<LimitedRequest, 'estimate'> {
  start(permit: RequestPermit): void;
  fail(reason: unknown): void;
}

const LIMITER_OPTIONS = { concurrency: true, requestsPerMinute: true, tokensPerMinute: true, world: true } as const;

function limitOf(name: Exclude<keyof LimiterOptions, 'world'>, options: LimiterOptions): number {
  const { [name]: value = Number.POSITIVE_INFINITY } = options;
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1)) return value;
  throw new UserError('invalid_input', `${name} of createLimiter must be a whole number from 1 on, not ${value}.`);
}

/** Returns the tokens that a request turned out to take. Undefined: the estimate stands. */
function tokensOf({ status, usage }: PermitEnd): number | undefined {
  if (usage) return usage.totalTokens;
  return status !== null && status >= 400 ? 0 : undefined;
}

/** A longer wait is not worth a turn: its requests fail at once, and the error names the time. */
const LONGEST_PAUSE_MS = 600_000;
/** Time after a pause in which requests start one after another. */
const CAREFUL_MS = 60_000;
/** Longest time between two starts after a pause. After a pause of less than a second it is a tenth of the pause. */
const GAP_MS = 100;

/** Returns the pauses that servers ask for. After a pause the starts are spread, since all of them have waited for it. */
function createPause({ now, random }: Pick<World, 'now' | 'random'>, requestsPerMinute = 0) {
  const mostMs = Math.min(GAP_MS, 120_000 / requestsPerMinute);
  let gapMs = 0;
  let until = Number.NEGATIVE_INFINITY;
  let nextStart = Number.NEGATIVE_INFINITY;
  return {
    begin(ms: number, at: number): void {
      if (at >= until + CAREFUL_MS) gapMs = 0;
      gapMs = Math.max(gapMs, Math.min(mostMs, ms / 10));
      until = Math.max(until, at + ms);
      nextStart = Math.max(nextStart, until + random() * gapMs);
    },
    started(at: number): void {
      if (at < until + CAREFUL_MS) nextStart = at + random() * gapMs;
    },
    leftMs: (at: number) => Math.max(until, nextStart) - at,
    isLong: (at: number) => until - at > LONGEST_PAUSE_MS,
    error(at: number): ModelError {
      const retryAfterMs = until - at;
      const text = `The server asks to wait until ${clockTime(now() + retryAfterMs)}. Try again then.`;
      return new ModelError('rate_limited', text, { retryAfterMs });
    },
  };
}
