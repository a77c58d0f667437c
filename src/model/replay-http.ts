import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from '../base/errors.ts';
import { type Cassette, END_ERRORS, type RecordedExchange } from '../cassette/cassette.ts';
import { createExchangeShelf } from '../cassette/exchange-shelf.ts';
import type { CassetteMatch } from '../cassette/request-difference.ts';
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
   * `order` (the default): the n-th request gets the n-th exchange, whatever it asks. Otherwise a request gets the first
   * unused exchange that asked the same, and fails when there is none.
   */
  readonly match?: CassetteMatch | 'order';
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
  const shelf = createExchangeShelf(cassette, options.match ?? 'order');
  return {
    async send(_url, sent) {
      if (sent.signal.aborted) throw abortedError();
      const { exchange, fault } = shelf.take(sentBody(sent));
      if (exchange === undefined) throw new ModelError('rejected', fault ?? '');
      if (fault !== undefined) options.onMismatch?.(fault);
      return replayExchange(exchange, sent, options.speed);
    },
  };
}

/** Returns the body of a request: parsed JSON, or a text. */
export function sentBody({ body }: SendOptions): unknown {
  return parseBody(Buffer.concat(bodyPieces(body)));
}

function parseBody(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Answers a request as recorded. */
export async function replayExchange(
  exchange: RecordedExchange,
  { body, signal, meter }: SendOptions,
  speed: ReplayOptions['speed'] = 'instant',
): Promise<HttpResponse> {
  if (meter) for (const piece of bodyPieces(body)) meter.sentBytes += piece.length;
  const wait = speed === 'recorded';
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
