import { setMaxListeners } from 'node:events';
import { UserError } from '../../base/errors.ts';
import type { RunLimit } from '../../base/event.ts';
import type { RequestLedger } from '../../base/ledger.ts';
import { NO_USAGE, type Usage } from '../../base/usage.ts';

/** Limits of a run. */
export interface LimitSettings {
  /** Number of requests to the model. */
  readonly maxRequests?: number;
  /** Input and output tokens together. */
  readonly maxTokens?: number;
  /** In US dollars. */
  readonly maxCost?: number;
  /** Time of the whole turn, in milliseconds. */
  readonly timeoutMs?: number;
}

/** A run reached one of its own limits. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  readonly limit: RunLimit['kind'];
  /** Value of the limit; see `RunLimit`. */
  readonly value: number;

  constructor(limit: RunLimit['kind'], value: number, message: string) {
    super(message);
    this.limit = limit;
    this.value = value;
  }
}

export interface Limits {
  /** Throws `LimitReached` if no request is left. */
  check(): void;
  /** Counts a request. Throws `LimitReached` if no request is left. */
  beforeRequest(): void;
  /**
   * Counts the costs of a response. Unknown tokens are estimated. Returns the counted cost, or null if the cost is not
   * limited.
   */
  afterResponse(took: Pick<RequestLedger, 'usage' | 'cost' | 'sentBytes' | 'receivedBytes'>): number | null;
}

/** A function that returns the price of a response in US dollars, or null if it is unknown. */
export type Price = (usage: Usage) => number | null;

/** Returns the limits of a new run. Throws `UserError` for a limit that cannot be enforced. */
export function createLimits(settings: LimitSettings, price: Price, model: string): Limits {
  checkLimits(settings);
  const { maxRequests, maxTokens, maxCost } = settings;
  if (maxCost !== undefined && price(NO_USAGE) === null) throw noPrice(model);
  let requests = 0;
  let tokens = 0;
  let dollars = 0;
  function check(): void {
    if (maxRequests !== undefined && requests >= maxRequests) {
      throw new LimitReached('requests', maxRequests, `The limit of ${maxRequests} requests was reached.`);
    }
    if (maxTokens !== undefined && tokens >= maxTokens) {
      throw new LimitReached('tokens', maxTokens, `The limit of ${maxTokens} tokens was reached: ${tokens} used.`);
    }
    if (maxCost !== undefined && dollars >= maxCost) {
      const spent = dollars.toFixed(4);
      throw new LimitReached('cost', maxCost, `The limit of $${maxCost} was reached: $${spent} spent.`);
    }
  }

  return {
    check,
    beforeRequest() {
      check();
      requests++;
    },
    afterResponse(took) {
      const usage = took.usage ?? estimatedUsage(took);
      tokens += usage.totalTokens;
      if (maxCost === undefined) return null;
      const cost = took.cost ?? price(usage) ?? 0;
      dollars += cost;
      return cost;
    },
  };
}

/** The longest time that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** The largest value of each limit. */
const LARGEST: Readonly<Record<keyof LimitSettings, number>> = {
  maxRequests: Number.MAX_VALUE,
  maxTokens: Number.MAX_VALUE,
  maxCost: Number.MAX_VALUE,
  timeoutMs: LONGEST_MS,
};

/** Throws `UserError` for a limit that is not a number that can be reached. NaN would mean that there is no limit. */
export function checkLimits(settings: LimitSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    const largest = LARGEST[name as keyof LimitSettings];
    if (largest === undefined) throw new UserError('invalid_input', `There is no limit "${name}".`);
    if (value !== undefined && !(value >= 0 && value <= largest)) {
      const most = largest === LONGEST_MS ? ` to ${LONGEST_MS}` : '';
      throw new UserError('invalid_input', `The limit ${name} must be a number from 0${most}, not ${value}.`);
    }
  }
}

function noPrice(model: string): UserError {
  const table = `[model_prices.${JSON.stringify(model)}]\ninput = 1.0\noutput = 4.0`;
  const why = `The limit on the cost cannot be kept: what ${model} costs at this provider is not known.`;
  return new UserError('invalid_config', `${why} Write to config.toml, in US dollars for a million tokens:\n${table}`);
}

const BYTES_PER_TOKEN = 4;

/** Returns an estimate that is rather too high: the framing of a response counts too, and no token counts as cached. */
function estimatedUsage({ sentBytes, receivedBytes }: Pick<RequestLedger, 'sentBytes' | 'receivedBytes'>): Usage {
  const inputTokens = Math.ceil(sentBytes / BYTES_PER_TOKEN);
  const outputTokens = Math.ceil(receivedBytes / BYTES_PER_TOKEN);
  return { ...NO_USAGE, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/**
 * Returns a signal that aborts with one of the outer signals, with `LimitReached` after the time, or by `abort`. `done`
 * stops the clock.
 */
export function withTimeLimit(
  outer: readonly AbortSignal[],
  timeoutMs: number | undefined,
): { signal: AbortSignal; abort(): void; done(): void } {
  const controller = new AbortController();
  // Every call of a response listens to this signal, and a response may have many calls.
  setMaxListeners(0, controller.signal);
  const forward = () => controller.abort(outer.find(({ aborted }) => aborted)?.reason);
  if (outer.some(({ aborted }) => aborted)) forward();
  for (const signal of outer) signal.addEventListener('abort', forward, { once: true });
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(timeIsUp(timeoutMs)), timeoutMs);
  return {
    signal: controller.signal,
    abort: () => controller.abort(new Error('interrupted')),
    done() {
      clearTimeout(timer);
      for (const signal of outer) signal.removeEventListener('abort', forward);
    },
  };
}

function timeIsUp(timeoutMs: number): LimitReached {
  return new LimitReached('time', timeoutMs, `The time limit of ${timeoutMs / 1000} seconds was reached.`);
}
