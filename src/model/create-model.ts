import { ModelError, messageOf } from '../base/errors.ts';
import type { Item } from '../base/item.ts';
import type { Model, ModelRequest, StreamedEvent, StreamOptions } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { Repair } from '../base/repair.ts';
import type { ClientWire } from '../base/wire.ts';
import type { World } from '../base/world.ts';
import type { Lesson } from '../wire/adapt/refusals/rule.ts';
import type { repairStream } from '../wire/repair/repair-stream.ts';
import { failureError } from './errors.ts';
import { type BodyEncoder, createBodyEncoder } from './exchange/body-encoder.ts';
import { type OpenOptions, type Outgoing, openResponse } from './exchange/open-response.ts';
import { type Adapt, createRequestForm, type RequestForm } from './exchange/request-form.ts';
import { resendingHttp } from './exchange/resending-http.ts';
import { createResponseReader, type ResponseReader } from './exchange/response-reader.ts';
import type { ExchangeTap } from './exchange-tap.ts';
import { type Credentials, type Identity, redactor, requestHeaders } from './headers.ts';
import { abortedError, type HttpResponse, type HttpSender } from './http.ts';
import { requestUrl } from './request-url.ts';
import { backoffMs } from './retry.ts';
import type { ServerMemory, TargetMemory } from './server-memory.ts';
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
  /**
   * What mends broken responses. Asked for when an answer begins, not before: loading it must not delay the request.
   * Without it nothing is mended.
   */
  readonly repair?: () => Promise<typeof repairStream>;
  /** What fits requests to servers that refuse them. Asked for when it is needed. Without it nothing is changed. */
  readonly adapt?: () => Promise<Adapt>;
  readonly onNotice?: (notice: ModelNotice) => void;
  readonly http: HttpSender;
  readonly memory: ServerMemory;
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
  | { readonly type: 'model.changed'; readonly requested: string; readonly served: string }
  | { readonly type: 'calls.received'; readonly frame: number; readonly calls: number };

/** A model behind HTTP. Connections and lessons about servers are the caller's, who may share them among models. */
export function createModel(options: ModelOptions): Model {
  const { provider, world, onNotice, http, memory, tap } = options;
  const open: OpenOptions = {
    http: tap === undefined ? http : tapHttp(http, tap),
    world,
    link: memory.linkOf(provider),
    onRetry: ({ attempt, delayMs, error }) =>
      onNotice?.({
        type: 'request.retry',
        attempt,
        max: provider.requestMaxRetries,
        delayMs,
        reason: error.message,
      }),
  };
  let encodeBody = createBodyEncoder();
  const context: Context = {
    ...options,
    open,
    unreadable: new Set(),
    told: new Set(),
    encodeBody: (text) => encodeBody(text),
  };
  return {
    rest() {
      encodeBody = createBodyEncoder();
    },
    maxStreamRetries: provider.streamMaxRetries,
    retryDelayMs: (attempt, error) => error.retryAfterMs ?? backoffMs(attempt, world.random),
    stream: (request, options) => streamEvents(request, options, context),
  };
}

type Context = ModelOptions & {
  readonly open: OpenOptions;
  /** Reasoning of other servers, which this one refused. */
  readonly unreadable: Set<Item>;
  /** Reasons of the lessons that were reported. */
  readonly told: Set<string>;
  readonly encodeBody: BodyEncoder;
};

async function* streamEvents(
  request: ModelRequest,
  options: StreamOptions,
  context: Context,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal } = options;
  if (signal.aborted) throw abortedError();
  const { response, redact, form, known, changes } = await connect(request, options, context);
  for (const repair of changes) yield { type: 'repair', repair };
  const reader = openReader(request, { repair: await context.repair?.(), form, memory: known.repair }, context);
  let over = false;
  try {
    for await (const events of batches(response, reader, context.provider.streamIdleTimeoutMs)) {
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

function openReader(
  request: ModelRequest,
  { repair, form, memory }: ReaderOptions,
  { wire, onNotice }: Context,
): ResponseReader {
  const { compat, restore } = form;
  return createResponseReader({
    frames: wire.framing.createReader(),
    decoder: wire.decodeStream(request),
    openRepair: repair && ((onRepair) => repair(wire.name, { request, compat, memory, onRepair })),
    restore,
    onCalls: onNotice && ((frame, calls) => onNotice({ type: 'calls.received', frame, calls })),
  });
}

interface ReaderOptions {
  readonly repair: typeof repairStream | undefined;
  readonly form: Pick<RequestForm, 'compat' | 'restore'>;
  readonly memory: TargetMemory['repair'];
}

/** Returns the values that streaming needs, so that the body, often megabytes, can be forgotten meanwhile. */
async function connect(request: ModelRequest, options: StreamOptions, context: Context) {
  const { unreadable } = context;
  const readable = withoutItems(request, unreadable);
  const attempt = async (input: ModelRequest) => {
    const known = context.memory.of({ provider: context.provider, model: request.model });
    const { outgoing, form } = await prepare(input, options, known, context);
    const { onRefusal, onAnswer } = form;
    const http = resendingHttp(context.open.http, { onRefusal, onAnswer });
    const response = await openResponse(outgoing, { ...context.open, http });
    noticeOtherModel(request, response, context);
    const { compat, restore } = form;
    return { response, redact: outgoing.redact, form: { compat, restore }, known, changes: lessonsOf(form, context) };
  };
  try {
    return await attempt(readable);
  } catch (error) {
    const reasoning = readable.input.filter(({ type }) => type === 'reasoning');
    if (!(error instanceof ModelError) || error.code !== 'unreadable_reasoning' || reasoning.length === 0) throw error;
    for (const item of reasoning) unreadable.add(item);
    if (options.meter) options.meter.retries++;
    const connected = await attempt(withoutItems(request, unreadable));
    return { ...connected, changes: [droppedReasoning(reasoning.length), ...connected.changes] };
  }
}

function withoutItems(request: ModelRequest, unwanted: Set<Item>): ModelRequest {
  if (unwanted.size === 0) return request;
  return { ...request, input: request.input.filter((item) => !unwanted.has(item)) };
}

function droppedReasoning(count: number): Repair {
  const title = 'the server cannot read the encrypted reasoning of another one';
  return { id: 'E9', title, frame: null, callId: null, before: `${count} reasoning items`, after: 'left out' };
}

/** Returns the lessons that changed a request, each of them once in the life of the model. */
function lessonsOf({ earlier, lessons }: RequestForm, { told }: Context): readonly Repair[] {
  const untold = earlier.filter(({ reason }) => !told.has(reason));
  for (const { reason } of [...untold, ...lessons]) told.add(reason);
  return [
    ...untold.map((lesson) => learned(lesson, 'refused earlier', 'sent in the form that was accepted then')),
    ...lessons.map((lesson) => learned(lesson, 'refused', 'sent again')),
  ];
}

function learned({ reason }: Lesson, before: string, after: string): Repair {
  return { id: 'learned', title: reason, frame: null, callId: null, before, after };
}

async function prepare(
  request: ModelRequest,
  { signal, meter }: StreamOptions,
  known: TargetMemory,
  context: Context,
): Promise<{ readonly outgoing: Outgoing; readonly form: RequestForm }> {
  const { provider, wire, identity, env, adapt, encodeBody } = context;
  const credentials = await untilAborted(context.credentials(), signal).catch((error: unknown) => {
    throw error instanceof ModelError ? error : new ModelError('auth', messageOf(error), { cause: error });
  });
  const headers = requestHeaders({ provider, identity, credentials, env, wire });
  const form = await createRequestForm(request, { wire, encodeBody, known, adapt });
  const outgoing: Outgoing = {
    url: requestUrl(provider, wire.path),
    wire,
    headers,
    body: form.body,
    maxRetries: provider.requestMaxRetries,
    idleTimeoutMs: provider.streamIdleTimeoutMs,
    signal,
    meter,
    redact: redactor(headers, provider),
  };
  return { outgoing, form };
}

function noticeOtherModel({ model }: ModelRequest, response: HttpResponse, { onNotice }: Context): void {
  const served = response.headers['openai-model'];
  if (typeof served !== 'string' || served === '') return;
  // A longer name is a dated version of the model that was asked.
  if (served.toLowerCase().startsWith(model.toLowerCase())) return;
  onNotice?.({ type: 'model.changed', requested: model, served });
}

/** The events of a response, those of one read together as far as no call waits for it. */
async function* batches(
  response: HttpResponse,
  reader: ResponseReader,
  idleTimeoutMs: number,
): AsyncGenerator<readonly StreamedEvent[], void, undefined> {
  for (;;) {
    let bytes: Uint8Array | null;
    try {
      bytes = await response.read(idleTimeoutMs);
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== 'aborted') yield reader.abandon();
      throw error;
    }
    if (bytes === null) break;
    yield* reader.push(bytes);
  }
  yield reader.end();
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
