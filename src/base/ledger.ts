import { addUsage, NO_USAGE, type Usage } from './usage.ts';

/** Costs of requests and calls in time, tokens, money and bytes: of a turn or of a thread. */
export interface Ledger {
  /** Number of requests. */
  readonly requests: number;
  /** Requests that were sent again because no answer came, and responses that were requested again. */
  readonly retries: number;
  /** Number of repairs. */
  readonly repairs: number;
  /** Sum over the responses that reported their usage. */
  readonly usage: Usage;
  /** In US dollars, or null if the price of some response is unknown. */
  readonly cost: number | null;
  /** Time of the requests, in milliseconds. */
  readonly modelMs: number;
  /** Time in tools, added up over calls that ran at the same time. */
  readonly toolMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Costs of one request, whether it succeeded or failed. */
export interface RequestLedger {
  /** Time of the request in milliseconds, without `waitedMs`. */
  readonly ms: number;
  /** Milliseconds that its attempts waited for a limiter. Absent: none. */
  readonly waitedMs?: number;
  readonly error: string | null;
  readonly model: string;
  /** Usage that the server reported, or null if it did not. */
  readonly usage: Usage | null;
  /** In US dollars, or null if it is unknown. */
  readonly cost: number | null;
  /** Number of times the request was sent again before an answer came. */
  readonly retries: number;
  readonly repairs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export const EMPTY_LEDGER: Ledger = {
  requests: 0,
  retries: 0,
  repairs: 0,
  usage: NO_USAGE,
  cost: 0,
  modelMs: 0,
  toolMs: 0,
  sentBytes: 0,
  receivedBytes: 0,
};

export function addLedgers(a: Ledger, b: Ledger): Ledger {
  return {
    requests: a.requests + b.requests,
    retries: a.retries + b.retries,
    repairs: a.repairs + b.repairs,
    usage: addUsage(a.usage, b.usage),
    cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
    modelMs: a.modelMs + b.modelMs,
    toolMs: a.toolMs + b.toolMs,
    sentBytes: a.sentBytes + b.sentBytes,
    receivedBytes: a.receivedBytes + b.receivedBytes,
  };
}
