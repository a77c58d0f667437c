import type { Usage } from './usage.ts';

/**
 * Admits requests to a server, for any number of threads and agents. `createLimiter` makes one for this process; a
 * program may bring its own, such as one that many machines share.
 */
export interface Limiter {
  /**
   * Resolves when a request may be sent. Each attempt needs a permit of its own, also an attempt after a failure.
   * Rejects when the signal aborts, and leaves no trace of the request then.
   */
  acquire(request: LimitedRequest): Promise<RequestPermit>;
}

/** A request that waits for its permit. */
export interface LimitedRequest {
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  /** Number of tokens that the request will probably take. */
  readonly estimate: number;
}

/** Permission to send one request. It is held until the answer has ended. */
export interface RequestPermit {
  /** Called once, when the answer has ended. An error that it throws becomes a warning. */
  release(end: PermitEnd): void | Promise<void>;
}

/** The end of a request, as its limiter learns of it. */
export interface PermitEnd {
  /** HTTP status of the answer, or null if there was none. */
  readonly status: number | null;
  /** Milliseconds for which the server takes no further requests. */
  readonly retryAfterMs?: number;
  /** Tokens that the server reported. */
  readonly usage?: Usage;
}
