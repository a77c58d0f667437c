import { ModelError } from './errors.ts';
import { clockTime } from './local-time.ts';

/**
 * Retries and time that one response may cost in all. Every layer that sends a request again takes from the same
 * budget, so that the retries of two layers do not multiply.
 */
export interface RetryBudget {
  /** Number of times that a request may be sent again. */
  readonly maxRetries: number;
  /** Number of times that a request was sent again. */
  retries: number;
  /** Milliseconds that may still pass between attempts and in attempts without an answer. Streaming does not count. */
  leftMs: number;
  /** Reports whether a request may be sent again after an error. Without it any error is one. */
  readonly allows?: (error: ModelError) => boolean;
}

/** A retry that was taken from a budget. */
export interface Retry {
  /** Number of the retry, counted from 1. */
  readonly attempt: number;
  readonly max: number;
  readonly delayMs: number;
}

const MAX_WAIT_MS = 600_000;

export function createRetryBudget(maxRetries: number, allows?: RetryBudget['allows']): RetryBudget {
  return { maxRetries, retries: 0, leftMs: MAX_WAIT_MS, ...(allows && { allows }) };
}

/**
 * Takes a retry, and the wait before it, from a budget. Throws the error if there is none left. `now` is the time in
 * milliseconds since 1970.
 */
export function takeRetry(budget: RetryBudget, error: ModelError, delayMs: number, now: number): Retry {
  if (budget.retries >= budget.maxRetries || budget.allows?.(error) === false) throw error;
  if (delayMs >= budget.leftMs) throw error.retryAfterMs === undefined ? error : waitError(error, now);
  budget.retries++;
  budget.leftMs -= delayMs;
  return { attempt: budget.retries, max: budget.maxRetries, delayMs };
}

/** Returns the error for a server that asks for a longer wait than there is time for. */
function waitError(error: ModelError, now: number): ModelError {
  const { code, status, serverWords, retryAfterMs = 0, message } = error;
  const until = clockTime(now + retryAfterMs);
  const text = `The server asks to wait until ${until}. Try again then. Its failure: ${message}`;
  return new ModelError(code, text, { retryAfterMs, status, serverWords, cause: error });
}
