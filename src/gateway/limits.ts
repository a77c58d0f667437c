/** Limits of one gateway. */
export interface GatewayLimits {
  readonly maxBodyBytes: number;
  /** Size of all bodies whose requests have no answer yet. Further ones wait. */
  readonly maxBodiesBytes: number;
  /** Time for which a body waits until others make room for it. Then its request is answered with 503. */
  readonly maxBodyWaitMs: number;
  /** Size of what is kept for all clients that are slow to read. The clients that waited longest are disconnected. */
  readonly maxAnswersBytes: number;
  /** Exchanges at the same time. Further ones are answered with 503. */
  readonly maxExchanges: number;
  /** Time from the request to the end of its answer. */
  readonly maxExchangeMs: number;
  /** Time without a byte from the server. */
  readonly idleTimeoutMs: number;
  /** Time without a byte to the client of a stream after which a ping is sent. A ping also sends the head of the stream. */
  readonly silenceMs: number;
}

export const DEFAULT_LIMITS: GatewayLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxBodiesBytes: 128 * 1024 * 1024,
  maxBodyWaitMs: 30_000,
  maxAnswersBytes: 256 * 1024 * 1024,
  maxExchanges: 10_000,
  maxExchangeMs: 60 * 60 * 1000,
  idleTimeoutMs: 300_000,
  // Most servers refuse a request within this time, and proxies wait longer for a byte.
  silenceMs: 10_000,
};
