import { addUsage, NO_USAGE, type Usage } from './usage.ts';

/** What requests and calls took: of one request, of a turn, of a thread. */
export interface Ledger {
  readonly requests: number;
  /** Requests that got no answer and were sent again, and responses that were asked for again. */
  readonly retries: number;
  readonly repairs: number;
  /** Of the responses that said it. */
  readonly usage: Usage;
  /** In US dollars; null when some response has no known price. */
  readonly cost: number | null;
  readonly modelMs: number;
  /** Time in tools, added up over calls that ran beside each other. */
  readonly toolMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** What one request took, whatever came of it. */
export interface RequestLedger {
  readonly ms: number;
  readonly error: string | null;
  readonly model: string;
  /** Null: the server did not say. */
  readonly usage: Usage | null;
  /** In US dollars; null: not known. */
  readonly cost: number | null;
  /** How often it was sent again before an answer came. */
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
