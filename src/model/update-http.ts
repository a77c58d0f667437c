import { type Cassette, END_ERRORS, type RecordedExchange } from '../cassette/cassette.ts';
import { decodeCassette } from '../cassette/decode-cassette.ts';
import { createExchangeShelf } from '../cassette/exchange-shelf.ts';
import type { CassetteMatch } from '../cassette/request-difference.ts';
import { abortedError, type HttpSender } from './http.ts';
import { createExchangeRecorder, type RecorderOptions } from './record-exchange.ts';
import { replayExchange, sentBody } from './replay-http.ts';
import { tapHttp } from './tap-http.ts';

export interface UpdateOptions extends Omit<RecorderOptions, 'write'> {
  readonly match: CassetteMatch;
  /** Sends the requests that the cassette has no answer for. */
  readonly http: HttpSender;
}

/** A client that answers from a cassette, and records the exchanges that the cassette lacks. */
export interface UpdatingHttp extends HttpSender {
  /**
   * Returns the cassette of this run: the exchanges that were asked for, in their order. Undefined if none of them is
   * new, or if a new one is not whole.
   */
  updated(): Cassette | undefined;
}

export function updatingHttp(cassette: Cassette, { match, http, ...options }: UpdateOptions): UpdatingHttp {
  const shelf = createExchangeShelf(cassette, match);
  const lines: string[] = [];
  const recorder = createExchangeRecorder({ ...options, write: (line) => lines.push(line) });
  const server = tapHttp(http, recorder);
  /** The replayed exchange of each request, or undefined for a recorded one. */
  const asked: (RecordedExchange | undefined)[] = [];
  return {
    async send(url, sent) {
      if (sent.signal.aborted) throw abortedError();
      const { exchange } = shelf.take(sentBody(sent));
      asked.push(exchange);
      return exchange ? replayExchange(exchange, sent) : server.send(url, sent);
    },
    updated() {
      const recorded = decodeCassette(lines.join(''));
      const added = recorded.exchanges.values();
      if (recorded.exchanges.length === 0 || !recorded.exchanges.every(isWhole)) return undefined;
      return { ...recorded, exchanges: asked.flatMap((exchange) => exchange ?? added.next().value ?? []) };
    },
  };
}

/** Reports whether a server answered, and the answer was not left unread. */
function isWhole({ response, error }: RecordedExchange): boolean {
  return response !== null && error !== END_ERRORS.interrupted && error !== END_ERRORS.unfinished;
}
