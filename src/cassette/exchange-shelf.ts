import type { Cassette, RecordedExchange } from './cassette.ts';
import { type CassetteMatch, requestDifference } from './request-difference.ts';

/** The exchanges of a cassette that no request has taken yet. */
export interface ExchangeShelf {
  /** Takes the exchange that answers a request with this body, which is parsed JSON or a text. */
  take(body: unknown): TakenExchange;
}

export interface TakenExchange {
  /** Undefined if the cassette has no answer. */
  readonly exchange: RecordedExchange | undefined;
  /** Sentence that says why there is no answer, or how the recorded request differs. */
  readonly fault?: string;
  /** Whether the cassette is used up. */
  readonly isUsedUp?: true;
}

/**
 * Returns the shelf of a cassette. With `order` the n-th request takes the n-th exchange, also when it asks for
 * something else. Otherwise a request takes the first exchange that asked the same.
 */
export function createExchangeShelf({ exchanges }: Cassette, match: CassetteMatch | 'order'): ExchangeShelf {
  const left = [...exchanges];
  let n = 0;
  return {
    take(body) {
      n++;
      const [next] = left;
      if (next === undefined) return { exchange: undefined, fault: usedUp(exchanges.length, n), isUsedUp: true };
      const compared = match === 'order' ? 'strict' : match;
      const difference = requestDifference(next.request.body, body, compared);
      if (match === 'order') {
        left.shift();
        return { exchange: next, ...(difference && { fault: `Request ${n} is not the recorded one: ${difference}.` }) };
      }
      const index = left.findIndex(({ request }) => requestDifference(request.body, body, compared) === undefined);
      const [exchange] = index < 0 ? [] : left.splice(index, 1);
      return exchange ? { exchange } : { exchange, fault: noSuchRequest(n, difference) };
    },
  };
}

function usedUp(total: number, n: number): string {
  return `The cassette has responses up to request ${total}, and this is request ${n}. Record it again.`;
}

function noSuchRequest(n: number, difference: string | undefined): string {
  return `The cassette has no response for request ${n}. Compared with the next recorded one, ${difference}. Record it again.`;
}
