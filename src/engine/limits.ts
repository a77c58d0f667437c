import { setMaxListeners } from 'node:events';
import type { Usage } from '../base/usage.ts';

/** What a run may use up before it is stopped. */
export interface LimitSettings {
  readonly maxRequests?: number;
  /** Input and output tokens together. */
  readonly maxTokens?: number;
  readonly timeoutMs?: number;
}

/** A run reached one of its own limits. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

export interface Limits {
  /** Counts a request; throws `LimitReached` when there is none left. */
  beforeRequest(): void;
  afterResponse(usage: Usage | null): void;
}

export function createLimits(settings: LimitSettings): Limits {
  let requests = 0;
  let tokens = 0;
  return {
    beforeRequest() {
      if (settings.maxRequests !== undefined && requests >= settings.maxRequests) {
        throw new LimitReached(`The limit of ${settings.maxRequests} requests was reached (--max-requests).`);
      }
      if (settings.maxTokens !== undefined && tokens >= settings.maxTokens) {
        throw new LimitReached(`The limit of ${settings.maxTokens} tokens was reached: ${tokens} used (--max-tokens).`);
      }
      requests++;
    },
    afterResponse(usage) {
      tokens += usage?.totalTokens ?? 0;
    },
  };
}

/**
 * A signal that aborts with the outer one, with `LimitReached` when the time is over, or by `abort`. `done` stops the
 * clock.
 */
export function withTimeLimit(
  outer: AbortSignal,
  timeoutMs: number | undefined,
): { signal: AbortSignal; abort(): void; done(): void } {
  const controller = new AbortController();
  // Every call of a response listens to it, and there may be many.
  setMaxListeners(0, controller.signal);
  const forward = () => controller.abort(outer.reason);
  if (outer.aborted) forward();
  outer.addEventListener('abort', forward, { once: true });
  const stop = () =>
    controller.abort(new LimitReached(`The time limit of ${(timeoutMs ?? 0) / 1000} seconds was reached (--timeout).`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
  return {
    signal: controller.signal,
    abort: () => controller.abort(new Error('interrupted')),
    done() {
      clearTimeout(timer);
      outer.removeEventListener('abort', forward);
    },
  };
}
