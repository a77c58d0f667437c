import { ModelError } from '../base/errors.ts';
import type { Meter, Model, ModelRequest, StreamedEvent, StreamOptions } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import type { Repair } from '../base/repair.ts';
import { createRetryBudget, type Retry, type RetryBudget } from '../base/retry-budget.ts';
import type { UsageLimits } from '../base/usage-limits.ts';
import type { ClientWire, StreamDecoder, WireName } from '../base/wire.ts';
import type { repairStream } from '../repair/repair-stream.ts';
import { failureError } from './errors.ts';
import type { Adapt } from './exchange/encoded-request.ts';
import { type ExchangeOptions, type OpenedExchange, openExchange } from './exchange/open-exchange.ts';
import { readToEnd } from './exchange/read-to-end.ts';
import type { RequestChange } from './exchange/request-form.ts';
import { createResponseReader, type ResponseReader } from './exchange/response-reader.ts';
import type { ExchangeTap } from './exchange-tap.ts';
import { abortedError, type HttpResponse } from './http.ts';
import { createModelEncoder, type ModelEncoder, type OwnFacts } from './model-encoder.ts';
import { backoffMs } from './retry.ts';
import { tapHttp } from './tap-http.ts';
import { limitsInFrame, limitsInHeaders } from './usage-limits.ts';

type SharedOptions = Pick<
  ExchangeOptions<ClientWire>,
  'credentials' | 'renewable' | 'identity' | 'env' | 'world' | 'http' | 'memory'
>;

export interface ModelOptions extends SharedOptions {
  readonly provider: Provider;
  readonly wires: WireChoice;
  /**
   * Loads the repair of broken responses. Called when an answer begins and not before, because loading must not delay
   * the request. Without it nothing is repaired.
   */
  readonly repair?: () => Promise<typeof repairStream>;
  /**
   * Loads the code that adapts requests to servers that refuse them, when it is needed. Without it no request is
   * changed.
   */
  readonly adapt?: (wire: WireName) => Promise<Adapt>;
  /** Returns the user's facts about a model, which count before those that are built in. */
  readonly ownFacts?: OwnFacts;
  /** Adds to the error of a request that got no response what is known about it. */
  readonly explain?: (error: ModelError, model: string) => Promise<ModelError>;
  readonly onNotice?: (notice: ModelNotice) => void;
  /** Sees every exchange, including failed attempts. */
  readonly tap?: ExchangeTap;
}

/** The wires of a model. The first request may be what shows which of them the server speaks. */
export interface WireChoice {
  load(name: WireName): Promise<ClientWire>;
  /** Returns the wire that the server spoke last time, if that is known. */
  known(): WireName | undefined;
  /** Called when a wire has answered after the server turned out to lack others. */
  onFound(name: WireName): void;
}

/** An event of a model that is not part of a response. */
export type ModelNotice =
  /** A request that got no response is sent again after `delayMs`. */
  | (Retry & { readonly type: 'request.retry'; readonly reason: string })
  /** The server reports that another model answers than the requested one. */
  | { readonly type: 'model.changed'; readonly requested: string; readonly served: string }
  | { readonly type: 'calls.received'; readonly frame: number; readonly calls: number }
  /** The server has reported the limits of the account. */
  | { readonly type: 'usage.limits'; readonly limits: UsageLimits };

/**
 * Returns a model behind HTTP. Connections and lessons about servers belong to the caller, who may share them among
 * models.
 */
export function createModel(options: ModelOptions): Model {
  const { provider, world, http, tap } = options;
  const encoder = createModelEncoder(options.ownFacts);
  const context: Context = {
    ...options,
    http: tap === undefined ? http : tapHttp(http, tap),
    encoder,
    reported: new Set(),
  };
  return {
    rest: encoder.rest,
    maxStreamRetries: provider.streamMaxRetries,
    maxRetries: maxRetries(provider),
    retryDelayMs: (attempt, error) => error.retryAfterMs ?? backoffMs(attempt, world.random),
    stream: (request, options) => streamEvents(request, options, context),
  };
}

function maxRetries({ requestMaxRetries, streamMaxRetries }: Provider): number {
  return Math.max(requestMaxRetries, streamMaxRetries);
}

type Context = ModelOptions & {
  readonly encoder: ModelEncoder;
  /** Reasons of the lessons that were reported. */
  readonly reported: Set<string>;
};

async function* streamEvents(
  request: ModelRequest,
  options: StreamOptions,
  context: Context,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal } = options;
  if (signal.aborted) throw abortedError();
  const { budget = createRetryBudget(maxRetries(context.provider)), meter = newMeter() } = options;
  const { opened, changes } = await connect(request, { ...options, budget, meter }, context);
  const { response, redact } = opened;
  for (const repair of changes) yield { type: 'repair', repair };
  const reader = openReader(request, opened, await context.repair?.(), context);
  let over = false;
  try {
    for await (const events of batches(response, reader, context.provider, budget)) {
      for (const event of events) {
        if (signal.aborted) throw abortedError();
        over = event.type === 'completed' || event.type === 'incomplete' || event.type === 'failed';
        if (event.type === 'failed') {
          const error = failureError({ ...event, message: redact(event.message) });
          meter.retryAfterMs = error.retryAfterMs;
          // An answer that was given up goes on.
          if (error.code === 'invalid_response') response.close();
          else response.release();
          throw error;
        }
        if ('usage' in event && event.usage) meter.usage = event.usage;
        if (over) response.release();
        yield event;
        if (over) return;
      }
    }
    throw failureError({ code: 'stream_closed', message: 'the stream ended without an end of the response' });
  } finally {
    if (!over) response.close();
  }
}

function newMeter(): Meter {
  return { sentBytes: 0, receivedBytes: 0, retries: 0 };
}

function openReader(
  request: ModelRequest,
  { wire, compat, renamed, repairMemory: memory }: OpenedExchange<ClientWire>,
  repair: typeof repairStream | undefined,
  context: Context,
): ResponseReader {
  const { onNotice } = context;
  // The repair looks for tools by the names that were sent.
  const sent = renamed === undefined ? request : { ...request, tools: renamed.tools };
  return createResponseReader({
    framing: wire.framing,
    decoder: noticingLimits(wire.decodeStream(request), context),
    openRepair: repair && ((onRepair) => repair(wire.name, { request: sent, compat, memory, onRepair })),
    restore: renamed?.restore,
    onCalls: onNotice && ((frame, calls) => onNotice({ type: 'calls.received', frame, calls })),
  });
}

/** Returns a decoder that reports limits on the use of the account. A response has no event for them. */
function noticingLimits(decoder: StreamDecoder, { onNotice, world }: Context): StreamDecoder {
  return {
    push(frame) {
      const limits = limitsInFrame(frame, world.now);
      if (limits) onNotice?.({ type: 'usage.limits', limits });
      return decoder.push(frame);
    },
    end: () => decoder.end(),
  };
}

/**
 * Opens the response to a request. Returns only the values that streaming needs, so that the body, often megabytes, can
 * be freed meanwhile.
 */
async function connect(
  request: ModelRequest,
  { signal, budget, meter }: StreamOptions & { readonly budget: RetryBudget },
  context: Context,
): Promise<{ readonly opened: OpenedExchange<ClientWire>; readonly changes: readonly Repair[] }> {
  const { provider, wires, encoder, identity, env, world, http, memory, onNotice } = context;
  const adaptFor = (wire: ClientWire) => context.adapt?.(wire.name);
  const changes: RequestChange[] = [];
  const opened = await openExchange({
    target: { provider, model: request.model },
    wanted: wires.known(),
    wireOf: wires.load,
    encoderFor: (wire) => encoder.encoderFor(request, wire, () => adaptFor(wire)),
    adaptFor,
    credentials: (refused) => untilAborted(Promise.resolve(context.credentials(refused)), signal),
    renewable: context.renewable ?? false,
    identity,
    env,
    world,
    http,
    memory,
    idleTimeoutMs: provider.streamIdleTimeoutMs,
    budget,
    signal,
    meter,
    onRetry: (retry, { message }) => onNotice?.({ type: 'request.retry', ...retry, reason: message }),
    onChange: (change) => changes.push(change),
  });
  const limits = 'error' in opened ? opened.error.limits : limitsInHeaders(opened.response.headers, world.now());
  if (limits) onNotice?.({ type: 'usage.limits', limits });
  if ('error' in opened) throw (await context.explain?.(opened.error, request.model)) ?? opened.error;
  if (opened.lacking.length > 0) wires.onFound(opened.wire.name);
  noticeOtherModel(request, opened.response, context);
  return { opened, changes: repairsOf(opened.earlier, changes, context) };
}

type Lesson = OpenedExchange<ClientWire>['earlier'][number];

/**
 * Returns the changes of a request as repairs. A lesson of an earlier request is reported once in the life of the
 * model.
 */
function repairsOf(
  earlier: readonly Lesson[],
  changes: readonly RequestChange[],
  { reported }: Context,
): readonly Repair[] {
  const unreported = earlier.filter(({ reason }) => !reported.has(reason));
  for (const { reason } of unreported) reported.add(reason);
  for (const change of changes) if (change.type === 'learned') reported.add(change.lesson.reason);
  return [
    ...unreported.map((lesson) => learned(lesson, 'refused earlier', 'sent in the form that was accepted then')),
    ...changes.map((change) =>
      change.type === 'learned' ? learned(change.lesson, 'refused', 'sent again') : droppedReasoning(change.count),
    ),
  ];
}

function learned({ reason }: Lesson, before: string, after: string): Repair {
  return { id: 'learned', title: reason, frame: null, callId: null, before, after };
}

function droppedReasoning(count: number): Repair {
  const title = 'the server cannot read the encrypted reasoning of another one';
  return { id: 'E9', title, frame: null, callId: null, before: `${count} reasoning items`, after: 'left out' };
}

function noticeOtherModel({ model }: ModelRequest, response: HttpResponse, { onNotice }: Context): void {
  const served = response.headers['openai-model'];
  if (typeof served !== 'string' || served === '') return;
  // A longer name is a dated version of the requested model.
  if (served.toLowerCase().startsWith(model.toLowerCase())) return;
  onNotice?.({ type: 'model.changed', requested: model, served });
}

/** Yields the events of a response. Events of one read come together, except that a finished call ends a batch. */
async function* batches(
  response: HttpResponse,
  reader: ResponseReader,
  { streamIdleTimeoutMs }: Provider,
  budget: RetryBudget,
): AsyncGenerator<readonly StreamedEvent[], void, undefined> {
  const read = readToEnd(response, reader);
  for (;;) {
    let bytes: Uint8Array | null;
    try {
      bytes = await read(streamIdleTimeoutMs);
    } catch (error) {
      if (error instanceof ModelError && error.code === 'idle_timeout') budget.leftMs -= streamIdleTimeoutMs;
      if (!(error instanceof ModelError) || error.code !== 'aborted') yield reader.abandon();
      throw error;
    }
    if (bytes === null) break;
    // `yield*` would wrap the iterable into an asynchronous one, with several more steps for each batch.
    for (const events of reader.push(bytes)) yield events;
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
