import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from '../base/errors.ts';
import { type Cassette, END_ERRORS, type RecordedExchange } from '../cassette/cassette.ts';
import { requestDifference } from '../cassette/request-difference.ts';
import { abortSignalOf } from './end-signal.ts';
import {
  abortedError,
  bodyPieces,
  brokenError,
  type HttpResponse,
  type HttpSender,
  idleTimeoutError,
  type SendOptions,
} from './http.ts';

export interface ReplayOptions {
  /**
   * `order` (the default): the n-th request gets the n-th exchange, whatever it asks. `body`: a request gets the first
   * unused exchange with the same body, and fails when there is none.
   */
  readonly match?: 'order' | 'body';
  /** Called with a sentence when a request gets the response to another request. */
  readonly onMismatch?: (message: string) => void;
  /** `instant` (the default): nothing waits. `recorded`: every piece comes at its recorded time. */
  readonly speed?: 'instant' | 'recorded';
}

/**
 * Returns a client that reaches no server. It answers from a cassette, in the recorded pieces, and breaks where the
 * recording broke.
 */
export function replayHttp(cassette: Cassette, options: ReplayOptions = {}): HttpSender {
  const left = [...cassette.exchanges];
  let count = 0;
  return {
    async send(_url, { body, signal, meter }) {
      if (signal.aborted) throw abortedError();
      const bytes = Buffer.concat(bodyPieces(body));
      if (meter) meter.sentBytes += bytes.length;
      const asked = { n: ++count, body: parseBody(bytes) };
      if (left.length === 0) throw exhaustedError(cassette.exchanges.length, asked.n);
      const exchange = options.match === 'body' ? takeSame(left, asked) : takeNext(left, asked, options);
      return openResponse(exchange, { signal, meter, wait: options.speed === 'recorded' });
    },
  };
}

interface Asked {
  readonly n: number;
  readonly body: unknown;
}

function parseBody(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function exhaustedError(total: number, n: number): ModelError {
  const message = `The cassette has responses up to request ${total}, and this is request ${n}. Record it again.`;
  return new ModelError('rejected', message);
}

function takeSame(left: RecordedExchange[], { n, body }: Asked): RecordedExchange {
  const index = left.findIndex(({ request }) => requestDifference(request.body, body) === undefined);
  const [exchange] = index < 0 ? [] : left.splice(index, 1);
  if (exchange) return exchange;
  const difference = requestDifference(left[0]?.request.body, body);
  throw new ModelError(
    'rejected',
    `The cassette has no response for request ${n}. Compared with the next recorded one, ${difference}. Record it again.`,
  );
}

function takeNext(left: RecordedExchange[], { n, body }: Asked, { onMismatch }: ReplayOptions): RecordedExchange {
  const [exchange] = left.splice(0, 1);
  if (!exchange) throw exhaustedError(0, n);
  const difference = onMismatch && requestDifference(exchange.request.body, body);
  if (difference !== undefined) onMismatch?.(`Request ${n} is not the recorded one: ${difference}.`);
  return exchange;
}

async function openResponse(
  exchange: RecordedExchange,
  { signal, meter, wait }: Pick<SendOptions, 'signal' | 'meter'> & { readonly wait: boolean },
): Promise<HttpResponse> {
  const start = performance.now();
  const reach = async (ms: number) => {
    const left = wait ? start + ms - performance.now() : 0;
    // Even without a wait other work gets a turn between two pieces, as it does with a server.
    await (left > 0 ? sleep(left, undefined, { signal: abortSignalOf(signal) }) : nextRound()).catch(() => {});
    if (signal.aborted) throw abortedError();
  };
  if (exchange.response === null) {
    await reach(exchange.ms);
    throw noAnswerError(exchange.error);
  }
  await reach(0);
  const { status, headers } = exchange.response;
  const chunks = exchange.chunks.values();
  return {
    status,
    headers: headers as IncomingHttpHeaders,
    async read() {
      const { value: chunk } = chunks.next();
      await reach(chunk?.ms ?? exchange.ms);
      if (chunk && meter) meter.receivedBytes += chunk.bytes.byteLength;
      if (chunk) return chunk.bytes;
      if (exchange.error === null) return null;
      throw endError(exchange.error);
    },
    release() {},
    close() {},
  };
}

function noAnswerError(error: string | null): Error {
  if (isOurs(error) || error === null) return endError(error ?? END_ERRORS.closed);
  return Object.assign(new Error(error), { code: error });
}

/** Reports whether the exchange was ended by the client, and not by an error of the connection. */
function isOurs(error: string | null): boolean {
  return error === END_ERRORS.idle || error === END_ERRORS.interrupted || error === END_ERRORS.unfinished;
}

function endError(error: string): ModelError {
  if (error === END_ERRORS.idle) return idleTimeoutError();
  if (isOurs(error)) {
    const why = error === END_ERRORS.interrupted ? 'the request was interrupted' : 'the recording was not finished';
    return new ModelError('stream_broken', `The cassette holds no more of this response: ${why}.`);
  }
  return brokenError(error === END_ERRORS.closed ? undefined : new Error(error));
}
