import type { Ledger } from '../../base/ledger.ts';
import type { Meter } from '../../base/model.ts';
import { addUsage, NO_USAGE, type Usage } from '../../base/usage.ts';

/** The sum of the costs of a turn. */
export interface TurnLedger {
  /** Counts of the last request that began. Requests of a turn do not overlap. */
  readonly request: RequestCount;
  beginRequest(): RequestCount;
  add(part: Partial<Ledger>): void;
  total(): Ledger;
}

/** Counts of a request in progress. */
export interface RequestCount {
  readonly meter: Meter;
  /** Usage that the server reported, or null until then. */
  usage: Usage | null;
  repairs: number;
}

export function createTurnLedger(): TurnLedger {
  const sum = { requests: 0, retries: 0, repairs: 0, modelMs: 0, toolMs: 0, sentBytes: 0, receivedBytes: 0 };
  let usage = NO_USAGE;
  let cost: number | null = 0;
  let request = newRequest();
  return {
    get request() {
      return request;
    },
    beginRequest() {
      request = newRequest();
      return request;
    },
    add(part) {
      sum.requests += part.requests ?? 0;
      sum.retries += part.retries ?? 0;
      sum.repairs += part.repairs ?? 0;
      sum.modelMs += part.modelMs ?? 0;
      sum.toolMs += part.toolMs ?? 0;
      sum.sentBytes += part.sentBytes ?? 0;
      sum.receivedBytes += part.receivedBytes ?? 0;
      if (part.usage) usage = addUsage(usage, part.usage);
      if (part.cost !== undefined) cost = cost === null || part.cost === null ? null : cost + part.cost;
    },
    total: () => ({ ...sum, usage, cost }),
  };
}

function newRequest(): RequestCount {
  return { meter: { sentBytes: 0, receivedBytes: 0, retries: 0 }, usage: null, repairs: 0 };
}
