import { ModelError } from '../base/errors.ts';
import type { ModelRequest } from '../base/model.ts';
import { findWire } from '../wire/index.ts';
import { asClientError, ClientError } from './client-error.ts';
import type { Incoming, Outgoing } from './client-io.ts';
import { createExchangeRecord, type ExchangeRecord, noteError, recorded, reportOf } from './exchange-record.ts';
import type { ExchangeWire } from './exchange-wire.ts';
import { expandPrevious } from './expand-previous.ts';
import type { GatewayOptions, GatewaySettings } from './gateway.ts';
import { createMendedFrames } from './mended-frames.ts';
import type { ModelMemory } from './model-memory.ts';
import { openUpstream, type Upstream } from './open-upstream.ts';
import { otherWire } from './other-wire.ts';
import { understoodRequest } from './prepare-request.ts';
import { type AskedRequest, readRequest } from './read-request.ts';
import { createResponseId } from './response-id.ts';
import { sameChat } from './same-chat.ts';
import { sameResponses } from './same-responses.ts';
import { sendError } from './send-json.ts';
import { streamAnswer } from './stream-answer.ts';
import type { Target } from './target.ts';
import { startTimeLimit, type TimeLimit } from './time-limit.ts';
import type { Outcome, Translator } from './translator.ts';
import { upstreamError } from './upstream-error.ts';
import { wholeAnswer } from './whole-answer.ts';

export interface ExchangeOptions extends Pick<GatewayOptions, 'credentials' | 'env' | 'world' | 'store' | 'onReport'> {
  readonly http: NonNullable<GatewayOptions['http']>;
  readonly memory: ModelMemory;
  /** Those at the time when the exchange began. */
  readonly settings: GatewaySettings;
  /** Refuses the exchange before anything of it is read. Throws `ClientError`. */
  readonly admit: () => void;
}

/** One exchange from the client's request to the end of its answer. Never throws; tells of it exactly once. */
export async function runExchange(
  wire: ExchangeWire,
  { incoming, outgoing: client }: { readonly incoming: Incoming; readonly outgoing: Outgoing },
  options: ExchangeOptions,
): Promise<void> {
  const { world, settings } = options;
  const startedAt = world.now();
  const record = createExchangeRecord(world.uuid());
  const outgoing = recorded(client, record, world);
  const limit = startTimeLimit(incoming.signal, settings.limits.maxExchangeMs);
  try {
    options.admit();
    await converse({ ...options, wire, incoming, outgoing, record, limit });
  } catch (error) {
    giveUp({ incoming, outgoing, record }, toldError(error, limit));
  } finally {
    limit.stop();
    const left = incoming.signal.aborted;
    options.onReport(reportOf(record, wire, { startedAt, now: world.now(), left }));
  }
}

function giveUp(
  { incoming, outgoing, record }: Pick<Conversing, 'incoming' | 'outgoing' | 'record'>,
  told: ClientError,
): void {
  const hasLeft = incoming.signal.aborted;
  if (!hasLeft) noteError(record, told);
  if (hasLeft || record.status !== null) outgoing.abort();
  else sendError(outgoing, told);
}

function toldError(error: unknown, limit: TimeLimit): ClientError {
  const late = limit.expired();
  if (late !== undefined) return upstreamError(late);
  return error instanceof ModelError ? upstreamError(error) : asClientError(error);
}

interface Conversing extends ExchangeOptions {
  readonly wire: ExchangeWire;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly record: ExchangeRecord;
  readonly limit: TimeLimit;
}

async function converse(options: Conversing): Promise<void> {
  const { wire, incoming, settings, record, store, limit } = options;
  const read = await readRequest(wire, incoming, settings.limits.maxBodyBytes);
  record.stream = read.stream;
  const target = settings.targets.find(read.model);
  if (target === undefined) throw unknownModel(read.model);
  record.provider = target.provider.id;
  record.model = target.model;
  const asked = expandPrevious(read, store);
  const request = decodedOnce(asked);
  const idleTimeoutMs = Math.min(settings.limits.idleTimeoutMs, target.provider.streamIdleTimeoutMs);
  const opening = openUpstream({
    ...options,
    asked,
    request: request.strict,
    target,
    idleTimeoutMs,
    signal: limit.signal,
  });
  // Decoding takes its time with long requests: it happens while the server thinks.
  opening.catch(() => {});
  await new Promise(setImmediate);
  const understood = request.understood();
  const upstream = await opening;
  const outcome = await answer({ ...options, asked, target, upstream, idleTimeoutMs, request: understood });
  if (outcome === undefined || asked.body.store === false) return;
  store.put(outcome.id, { input: understood.input, output: outcome.output, body: outcome.body });
}

function unknownModel(model: string): ClientError {
  const said = `There is no model ${JSON.stringify(model)} here. GET /v1/models lists those that there are.`;
  return new ClientError(said, { status: 404, code: 'model_not_found', param: 'model' });
}

/** A request is decoded when somebody has to know what it says, and once. */
function decodedOnce(asked: AskedRequest): { strict(): ModelRequest; understood(): ModelRequest } {
  const wire = findWire(asked.wire);
  let request: ModelRequest | undefined;
  return {
    strict: () => (request ??= wire.decodeRequest(asked.body)),
    understood: () => (request ??= understoodRequest(wire, asked.body)),
  };
}

interface Answering extends Conversing {
  readonly asked: AskedRequest;
  readonly target: Target;
  readonly request: ModelRequest;
  readonly upstream: Upstream;
  readonly idleTimeoutMs: number;
}

async function answer(options: Answering): Promise<Outcome | undefined> {
  const { asked, target, request, upstream, record, world, limit, memory } = options;
  const frames = createMendedFrames({
    upstream,
    request,
    memory: memory.of(target).repair,
    onRepair: (repair) => record.repairs.push(repair),
  });
  const responseId = createResponseId(asked.wire, world.uuid());
  const createdAt = Math.floor(world.now() / 1000);
  const timedOut = limit.expired;
  if (!asked.stream) return wholeAnswer({ ...options, frames, responseId, createdAt, timedOut });
  const translator = translatorFor(options, { responseId, createdAt });
  try {
    await streamAnswer({
      ...options,
      response: upstream.response,
      frames,
      translator,
      timedOut,
      aborted: limit.aborted,
    });
  } finally {
    record.usage = translator.usage;
  }
  return translator.outcome;
}

function translatorFor(
  { asked, request, upstream }: Answering,
  { responseId, createdAt }: { readonly responseId: string; readonly createdAt: number },
): Translator {
  const { includeUsage, model } = asked;
  const { redact } = upstream;
  const store = asked.wire === 'responses' && asked.body.store !== false;
  if (asked.wire === upstream.wire) {
    return asked.wire === 'chat' ? sameChat({ includeUsage, redact }) : sameResponses({ redact, store });
  }
  const encoder = findWire(asked.wire).encodeStream({ model, createdAt, includeUsage });
  return otherWire({ decoder: findWire(upstream.wire).decodeStream(request), encoder, responseId, redact, store });
}
