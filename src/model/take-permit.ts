import { setImmediate as nextRound } from 'node:timers/promises';
import { ModelError, messageOf } from '../base/errors.ts';
import type { Limiter, PermitEnd, RequestPermit } from '../base/limiter.ts';
import type { Meter } from '../base/model.ts';
import type { World } from '../base/world.ts';
import { abortedError } from './http.ts';

/** A limiter, and the functions that learn of its waits and failures. */
export interface Limiting {
  readonly limiter: Limiter;
  readonly world: Pick<World, 'monotonic' | 'now' | 'sleep'>;
  /** Called when a request has waited for a second. */
  onWait(): void;
  /** Called when a permit could not be released. */
  onFault(message: string): void;
}

export interface WaitingRequest {
  readonly signal: AbortSignal;
  /** Number of tokens that the request will probably take. */
  readonly estimate: number;
  readonly meter?: Meter | undefined;
}

/** Reports the end of a request to its limiter. Only the first call counts, and it never throws. */
export type EndPermit = (end: PermitEnd) => void;

const NOTICE_AFTER_MS = 1000;

/**
 * Waits until a limiter admits a request. Throws `ModelError` when the signal aborts or the limiter fails. The time goes
 * into the meter.
 */
export async function takePermit({ signal, estimate, meter }: WaitingRequest, limiting: Limiting): Promise<EndPermit> {
  const { limiter, world } = limiting;
  if (signal.aborted) throw abortedError();
  const since = world.monotonic();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(abortedError()), { once: true, signal: over.signal });
  });
  noticeWait(limiting, over.signal).catch(() => {});
  const acquiring = acquire(limiter, { signal, estimate });
  try {
    return endOnce(await Promise.race([acquiring, aborted]), limiting);
  } catch (error) {
    // A limiter that does not watch the signal may still return a permit.
    if (signal.aborted) acquiring.then((permit) => endOnce(permit, limiting)({ status: null })).catch(() => {});
    throw signal.aborted ? abortedError() : limiterError(error);
  } finally {
    over.abort();
    const waited = world.monotonic() - since;
    if (meter && waited > 0) meter.waitedMs = (meter.waitedMs ?? 0) + waited;
  }
}

/** Calls the limiter. An error that it throws at once becomes a rejection. */
async function acquire(limiter: Limiter, request: Parameters<Limiter['acquire']>[0]): Promise<RequestPermit> {
  return limiter.acquire(request);
}

async function noticeWait({ world, onWait }: Limiting, over: AbortSignal): Promise<void> {
  // Most requests are admitted at once and need no timer.
  await nextRound(undefined, { signal: over });
  await world.sleep(NOTICE_AFTER_MS, over);
  if (!over.aborted) onWait();
}

function limiterError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError('unreachable', `The limiter let no request through: ${messageOf(error)}`, { cause: error });
}

function endOnce(permit: RequestPermit, { onFault }: Limiting): EndPermit {
  let ended = false;
  return async (end) => {
    if (ended) return;
    ended = true;
    try {
      await permit.release(end);
    } catch (error) {
      onFault(`The limiter could not take back a permit: ${messageOf(error)}`);
    }
  };
}
