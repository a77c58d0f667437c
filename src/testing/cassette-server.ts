import type { Cassette } from '../cassette/cassette.ts';
import { decodeCassette } from '../cassette/decode-cassette.ts';
import { createExchangeShelf, type ExchangeShelf } from '../cassette/exchange-shelf.ts';
import { deliver } from './deliver.ts';
import { type ReceivedRequest, startLoopbackServer } from './loopback-server.ts';
import { openExchange } from './open-exchange.ts';
import type { Delivery } from './plan-delivery.ts';
import { planReplay } from './plan-replay.ts';
import { readCassette } from './read-cassette.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** Options of `startCassetteServer`. */
export interface CassetteServerOptions {
  /** `instant` (the default) waits for nothing. `recorded` sends the pieces at about their recorded times. */
  readonly speed?: 'instant' | 'recorded';
  /**
   * `strict` (the default) and `lenient`: a request gets the first unused response to the same request, and a 400 when
   * there is none. `order`: the n-th request gets the n-th response, whatever it asks.
   */
  readonly match?: 'strict' | 'lenient' | 'order';
  /** Port of the server. A free one by default. */
  readonly port?: number;
}

/** A model server that repeats recorded responses. */
export interface CassetteServer {
  /** Base URL, which ends in `/v1`. Every path is answered. */
  readonly url: string;
  /** All requests in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Requests after the last exchange. They got a 400. */
  readonly unexpected: readonly RecordedRequest[];
  /** A sentence for each request that differs from the recorded ones. */
  readonly mismatches: readonly string[];
  /** Ends all connections at once. Nothing is left open. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on the loopback address. A request gets the response that was recorded for it, chunk by chunk.
 * `source` is the path of a cassette, its text, or the result of `readCassette`. Throws `UserError` for a bad cassette.
 */
export async function startCassetteServer(
  source: string | Cassette,
  options: CassetteServerOptions = {},
): Promise<CassetteServer> {
  const host: Host = {
    shelf: createExchangeShelf(await load(source), options.match ?? 'strict'),
    speed: options.speed ?? 'instant',
    requests: [],
    unexpected: [],
    mismatches: [],
    closing: false,
  };
  const server = await startLoopbackServer((arrived) => serve(host, arrived), options.port ?? 0);
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests: host.requests,
    unexpected: host.unexpected,
    mismatches: host.mismatches,
    async close() {
      host.closing = true;
      await server.close();
    },
  };
}

interface Host {
  readonly shelf: ExchangeShelf;
  readonly speed: 'instant' | 'recorded';
  readonly requests: RecordedRequest[];
  readonly unexpected: RecordedRequest[];
  readonly mismatches: string[];
  closing: boolean;
}

async function load(source: string | Cassette): Promise<Cassette> {
  if (typeof source !== 'string') return source;
  return /^\ufeff?\s*\{/.test(source) ? decodeCassette(source) : readCassette(source);
}

async function serve(host: Host, { request, response, bytes, body }: ReceivedRequest): Promise<void> {
  const isClosing = () => host.closing;
  const { record, exchange } = openExchange({ request, response, bytes, body: body ?? {}, isClosing });
  host.requests.push(record);
  await deliver(plan(host, record, body ?? bytes.toString()), exchange);
}

function plan(host: Host, record: RecordedRequest, body: unknown): Delivery {
  const { exchange, fault, isUsedUp } = host.shelf.take(body);
  if (isUsedUp) host.unexpected.push(record);
  else if (fault !== undefined) host.mismatches.push(fault);
  return exchange === undefined ? refusal(fault ?? '') : planReplay(exchange, host.speed);
}

function refusal(message: string): Delivery {
  const bytes = Buffer.from(JSON.stringify({ error: { type: 'cassette', message } }));
  return {
    head: { status: 400, headers: { 'content-type': 'application/json' } },
    steps: [{ kind: 'frame', bytes }],
    ending: 'finish',
  };
}
