import { ModelError, messageOf } from '../base/errors.ts';
import type { Model, ModelEvent, ModelRequest } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { ClientWire, StreamDecoder } from '../base/wire.ts';
import type { World } from '../base/world.ts';
import { failureError } from './errors.ts';
import type { ExchangeTap } from './exchange-tap.ts';
import { type Credentials, type Identity, requestHeaders, secretsOf } from './headers.ts';
import { abortedError, createHttp, type Http, type HttpResponse } from './http.ts';
import { type OpenOptions, type Outgoing, openResponse } from './open-response.ts';
import { backoffMs } from './retry.ts';
import { createFrameReader } from './sse.ts';
import { tapHttp } from './tap-http.ts';

export interface ModelOptions {
  readonly provider: Provider;
  readonly wire: ClientWire;
  /** Asked before each request; may take its time, as when a token must be renewed. */
  readonly credentials: () => Promise<Credentials>;
  readonly identity: Identity;
  readonly world: World;
  /** For headers whose values stand in variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onNotice?: (notice: ModelNotice) => void;
  /** Carries the requests; its own client by default. */
  readonly http?: Http;
  /** Sees every exchange, failed attempts as well. */
  readonly tap?: ExchangeTap;
}

/** What happened beside the events of a response. */
export type ModelNotice =
  /** A request that got no response is sent again after `delayMs`. */
  | {
      readonly type: 'request.retry';
      readonly attempt: number;
      readonly max: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /** The server says that another model answers than the one that was asked. */
  | { readonly type: 'model.changed'; readonly requested: string; readonly served: string };

/** A model behind HTTP. Its connections are kept between requests and do not hold the process back from ending. */
export function createModel(options: ModelOptions): Model {
  const { provider, world, onNotice, http = createHttp(), tap } = options;
  const open: OpenOptions = {
    http: tap === undefined ? http : tapHttp(http, tap),
    world,
    link: { reached: false },
    onRetry: ({ attempt, delayMs, error }) =>
      onNotice?.({
        type: 'request.retry',
        attempt,
        max: provider.requestMaxRetries,
        delayMs,
        reason: error.message,
      }),
  };
  return {
    maxStreamRetries: provider.streamMaxRetries,
    retryDelayMs: (attempt, error) => error.retryAfterMs ?? backoffMs(attempt, world.random),
    stream: (request, { signal }) => streamEvents(request, signal, { ...options, open }),
  };
}

type Context = ModelOptions & { readonly open: OpenOptions };

async function* streamEvents(
  request: ModelRequest,
  signal: AbortSignal,
  context: Context,
): AsyncGenerator<ModelEvent, void, undefined> {
  if (signal.aborted) throw abortedError();
  const { response, redact } = await connect(request, signal, context);
  const decoder = context.wire.decodeStream(request);
  let over = false;
  try {
    for await (const events of batches(response, decoder, context.provider.streamIdleTimeoutMs)) {
      for (const event of events) {
        if (signal.aborted) throw abortedError();
        over = event.type === 'completed' || event.type === 'incomplete' || event.type === 'failed';
        if (over) response.release();
        if (event.type === 'failed') throw failureError({ ...event, message: redact(event.message) });
        yield event;
        if (over) return;
      }
    }
    throw failureError({ code: 'stream_closed', message: 'the stream ended without an end of the response' });
  } finally {
    if (!over) response.close();
  }
}

/** Gives back what streaming needs, so that the body, often megabytes, can be forgotten meanwhile. */
async function connect(request: ModelRequest, signal: AbortSignal, context: Context) {
  const outgoing = await prepare(request, signal, context);
  const response = await openResponse(outgoing, context.open);
  noticeOtherModel(request, response, context);
  return { response, redact: outgoing.redact };
}

async function prepare(request: ModelRequest, signal: AbortSignal, context: Context): Promise<Outgoing> {
  const { provider, wire, identity, env } = context;
  const credentials = await untilAborted(context.credentials(), signal).catch((error: unknown) => {
    throw error instanceof ModelError ? error : new ModelError('auth', messageOf(error), { cause: error });
  });
  const headers = requestHeaders({ provider, identity, credentials, env, wire: wire.name });
  return {
    url: requestUrl(provider, wire.path),
    headers,
    body: Buffer.from(encode(request, context)),
    maxRetries: provider.requestMaxRetries,
    idleTimeoutMs: provider.streamIdleTimeoutMs,
    signal,
    redact: redactor(secretsOf(headers, provider)),
  };
}

function redactor(secrets: readonly string[]): (text: string) => string {
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
}

/** A request that a wire cannot carry is the request's fault, told by the wire. */
function encode(request: ModelRequest, { wire, provider }: Context): string {
  try {
    return wire.encodeRequest(request, provider.compat);
  } catch (error) {
    throw new ModelError('bad_request', messageOf(error), { cause: error });
  }
}

/** Parameters are appended as they are written: users escape them themselves. */
function requestUrl({ baseUrl, queryParams }: Provider, path: string): URL {
  const [base = '', ...rest] = baseUrl.split('?');
  const query = [...rest, ...Object.entries(queryParams).map(([name, value]) => `${name}=${value}`)].join('&');
  return new URL(`${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}${query === '' ? '' : `?${query}`}`);
}

function noticeOtherModel({ model }: ModelRequest, response: HttpResponse, { onNotice }: Context): void {
  const served = response.headers['openai-model'];
  if (typeof served !== 'string' || served === '') return;
  // A longer name is a dated version of the model that was asked.
  if (served.toLowerCase().startsWith(model.toLowerCase())) return;
  onNotice?.({ type: 'model.changed', requested: model, served });
}

/** The events of a response, those of one read together. */
async function* batches(
  response: HttpResponse,
  decoder: StreamDecoder,
  idleTimeoutMs: number,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  const frames = createFrameReader();
  for (;;) {
    let bytes: Uint8Array | null;
    try {
      bytes = await response.read(idleTimeoutMs);
    } catch (error) {
      yield heldEvents(decoder, error);
      throw error;
    }
    if (bytes === null) break;
    yield frames.push(bytes).flatMap((frame) => decoder.push(frame));
  }
  yield frames.end().flatMap((frame) => decoder.push(frame));
  yield decoder.end();
}

/** What a response had already said of its end when its connection broke. */
function heldEvents(decoder: StreamDecoder, error: unknown): readonly ModelEvent[] {
  if (error instanceof ModelError && error.code === 'aborted') return [];
  return decoder.end().filter((event) => event.type !== 'failed' || event.code !== 'stream_closed');
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(abortedError());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
