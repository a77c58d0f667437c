import type { Framing } from '../../base/wire.ts';
import type { World } from '../../base/world.ts';
import type { Outgoing } from '../server/client-io.ts';
import type { KeepAlive } from '../server/keep-alive.ts';
import type { Timers } from '../server/timers.ts';
import { type ExchangeRecord, REPAIRS } from './exchange-record.ts';
import { passedHeaders } from './passed-headers.ts';

/**
 * The answer of an exchange to its client. It records the status and the time of the first byte. Its head has headers
 * of the server's answer, unless the gateway sets them itself.
 */
export interface ClientAnswer extends Outgoing {
  /** Sends the head of a stream, unless a head was sent. */
  beginStream(framing: Framing): void;
  /** Keeps the stream from being silent for this long, by its head and by pings, from now to the end of the answer. */
  keepAlive(framing: Framing, silenceMs: number): void;
}

export function createClientAnswer(
  outgoing: Outgoing,
  record: ExchangeRecord,
  { world, timers }: { readonly world: World; readonly timers: Pick<Timers, 'startKeepAlive'> },
): ClientAnswer {
  let alive: KeepAlive | undefined;
  let isFull = false;
  const answer: ClientAnswer = {
    trailers: outgoing.trailers,
    head(status, headers) {
      record.status ??= status;
      record.firstByteAt ??= world.now();
      const passed = record.answerHeaders && passedHeaders(record.answerHeaders);
      outgoing.head(status, passed === undefined ? headers : { ...passed, ...headers });
    },
    beginStream(framing) {
      if (record.status !== null) return;
      answer.head(200, streamHeaders(framing, outgoing.trailers));
    },
    write(bytes) {
      alive?.touch();
      const full = outgoing.write(bytes);
      if (full === undefined) return undefined;
      isFull = true;
      return full.then(() => {
        isFull = false;
      });
    },
    keepAlive(framing, silenceMs) {
      alive = timers.startKeepAlive(() => {
        // A client that does not read needs no ping.
        if (isFull) return;
        answer.beginStream(framing);
        if (framing.ping !== '') void answer.write(framing.ping);
        outgoing.flush();
      }, silenceMs);
      alive.touch();
    },
    flush: () => outgoing.flush(),
    end(trailers) {
      alive?.stop();
      outgoing.end(trailers);
    },
    abort() {
      alive?.stop();
      outgoing.abort();
    },
  };
  return answer;
}

/**
 * Returns the headers of a streamed answer, which are made once for each framing. `hasTrailer`: its repairs follow as a
 * trailer.
 */
function streamHeaders(framing: Framing, hasTrailer: boolean): Readonly<Record<string, string>> {
  const made = hasTrailer ? TRAILED : PLAIN;
  let headers = made.get(framing);
  if (headers === undefined) {
    headers = { 'content-type': framing.contentType, 'cache-control': CACHING, 'x-accel-buffering': 'no' };
    if (hasTrailer) headers = { ...headers, trailer: REPAIRS };
    made.set(framing, headers);
  }
  return headers;
}

const PLAIN = new WeakMap<Framing, Readonly<Record<string, string>>>();
const TRAILED = new WeakMap<Framing, Readonly<Record<string, string>>>();
const CACHING = 'no-cache, no-transform';
