import { ModelError } from '../../base/errors.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { Repair } from '../../base/repair.ts';
import type { OpenedExchange } from '../../model/exchange/open-exchange.ts';
import { createRepairedFrames, type RepairedFrames } from '../../model/exchange/repaired-frames.ts';
import { repairStream } from '../../repair/repair-stream.ts';
import { asClientError, ClientError } from '../../wire/edge/client-error.ts';
import type { Translator } from '../../wire/edge/translator.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Incoming, Outgoing } from '../server/client-io.ts';
import { sendError } from '../server/send-json.ts';
import { startTimeLimit, type TimeLimit } from '../server/time-limit.ts';
import type { Target } from '../target.ts';
import { otherWire } from './bridge.ts';
import type { ExchangeParts, GatewayExchange } from './exchange.ts';
import { createExchangeRecord, type ExchangeRecord, noteError, recorded, reportOf } from './exchange-record.ts';
import { expandPrevious } from './expand-previous.ts';
import { sendFailedStream } from './failed-stream.ts';
import { keeperOf } from './keep-response.ts';
import { openUpstream } from './open-upstream.ts';
import { createQuirkWatch, type QuirkWatch } from './quirk-case.ts';
import { type AskedRequest, encodingFor, readRequest } from './read-request.ts';
import { firstCallOnly } from './single-call.ts';
import { type StreamAnswerOptions, streamAnswer } from './stream-answer.ts';
import { FAILURES, upstreamError } from './upstream-error.ts';
import { type WholeAnswerOptions, wholeAnswer } from './whole-answer.ts';

/** Runs one exchange from the client's request to the end of its answer. Never throws; reports it exactly once. */
export async function runExchange(
  wire: Wire,
  { incoming, outgoing }: { readonly incoming: Incoming; readonly outgoing: Outgoing },
  parts: ExchangeParts,
): Promise<void> {
  const { world, settings } = parts;
  const startedAt = world.now();
  const record = createExchangeRecord(world.uuid());
  const limit = startTimeLimit(incoming, settings.limits.maxExchangeMs);
  const exchange: GatewayExchange = {
    wire,
    incoming,
    outgoing: recorded(outgoing, record, world),
    record,
    limit,
    parts,
  };
  try {
    parts.admit();
    const answer = await openAnswer(exchange);
    await answer();
  } catch (error) {
    limit.abort();
    giveUp(toldError(error, limit, record), exchange);
  } finally {
    limit.stop();
    parts.onReport(reportOf(record, wire.name, { startedAt, now: world.now(), left: incoming.left }));
  }
}

function giveUp(told: ClientError, { wire, incoming, outgoing, record, parts: { world } }: GatewayExchange): void {
  const hasLeft = incoming.left;
  if (!hasLeft) noteError(record, told);
  if (hasLeft || record.status !== null) outgoing.abort();
  else if (!record.stream || !wire.edge.reportedInStream(told.code)) sendError(outgoing, told, wire.edge);
  else {
    const createdAt = Math.floor(world.now() / 1000);
    sendFailedStream(outgoing, told, { wire, model: record.asked ?? '', createdAt, uuid: world.uuid() });
  }
}

function toldError(error: unknown, limit: TimeLimit, { asked }: ExchangeRecord): ClientError {
  const late = limit.expired();
  if (late !== undefined && asked === null) {
    const said = `The request did not arrive in time. ${late.message}`;
    return new ClientError(said, { status: 408, code: 'request_timeout' });
  }
  if (late !== undefined) return upstreamError(late);
  return error instanceof ModelError ? upstreamError(error) : asClientError(error);
}

/**
 * Sends the request to its server. Returns what answers the client, and no more: a request may be long, and must not be kept
 * while its answer streams.
 */
async function openAnswer(exchange: GatewayExchange): Promise<() => Promise<void>> {
  const { wire, incoming, record, limit, parts } = exchange;
  const { settings, store } = parts;
  const { maxBodyBytes, idleTimeoutMs: maxIdleMs } = settings.limits;
  const read = await readRequest(wire, incoming, { maxBytes: maxBodyBytes, signal: limit.signal });
  record.stream = read.stream;
  record.asked = read.model;
  const target = settings.targets.find(read.model);
  if (target === undefined) throw unknownModel(read.model);
  record.provider = target.provider.id;
  record.model = target.model;
  const asked = await expandPrevious(read, store);
  const idleTimeoutMs = Math.min(maxIdleMs, target.provider.streamIdleTimeoutMs);
  const opened = await openUpstream(exchange, asked, { target, idleTimeoutMs });
  try {
    return answerTo(exchange, { asked, target, opened, idleTimeoutMs });
  } catch (error) {
    opened.response.close();
    throw error;
  }
}

function unknownModel(model: string): ClientError {
  const said = `There is no model ${JSON.stringify(model)} here. GET /v1/models lists those that there are.`;
  return new ClientError(said, { status: 404, code: 'model_not_found', param: 'model' });
}

/** A request that was sent, and the server that has begun to answer it. */
interface Asking {
  readonly asked: AskedRequest;
  readonly target: Target;
  readonly opened: OpenedExchange<Wire>;
  readonly idleTimeoutMs: number;
}

/** Functions made here live as long as the answer: they must not refer to the request. */
function answerTo(exchange: GatewayExchange, asking: Asking): () => Promise<void> {
  const { asked, opened, idleTimeoutMs } = asking;
  const { wire, record, parts } = exchange;
  const request = asked.decoded.understood();
  const watch = parts.onQuirk && createQuirkWatch(opened.wire, request, opened.redact);
  const frames = framesOf(exchange, asking, request, watch);
  const keep = keeperOf(exchange, asked, request);
  const responseId = wire.edge.responseId(record.id);
  const createdAt = Math.floor(parts.world.now() / 1000);
  const answer = asked.stream
    ? answeringStream(exchange, {
        response: opened.response,
        frames,
        translator: translatorFor(asking, request, { responseId, createdAt }),
        idleTimeoutMs,
        keep,
      })
    : answeringWhole(exchange, { asked, request, opened, frames, idleTimeoutMs, responseId, createdAt, keep });
  return watch === undefined ? answer : tellingQuirks(answer, watch, exchange);
}

function framesOf(
  { record }: GatewayExchange,
  { target, opened }: Asking,
  request: ModelRequest,
  watch: QuirkWatch | undefined,
): RepairedFrames {
  const { wire, compat, renamed, repairMemory: memory } = opened;
  // The repair looks for tools by the names that were sent.
  const sent = renamed === undefined ? request : { ...request, tools: renamed.tools };
  const onRepair = (repair: Repair) => void record.repairs.push(repair);
  return createRepairedFrames({
    framing: wire.framing,
    repair: repairStream(wire.name, { request: sent, compat, memory, onRepair }),
    restore: renamed?.restore,
    watch,
    keep: target.singleCall ? firstCallOnly(wire.edge, () => onRepair(FIRST_CALL)) : undefined,
  });
}

/** Reported like a repair, since the client gets another response than the model gave. */
const FIRST_CALL: Repair = {
  id: 'single_call',
  title: 'the client takes only the first call of a response',
  frame: null,
  callId: null,
  before: '',
  after: '',
};

function translatorFor(
  { asked, opened }: Asking,
  request: ModelRequest,
  { responseId, createdAt }: { readonly responseId: string; readonly createdAt: number },
): Translator {
  const { wire: client, includeUsage } = asked;
  const { wire: server, redact } = opened;
  const store = client.edge.stored?.isKept(asked.body) === true;
  if (client === server) {
    return client.edge.passThrough({ includeUsage, store, responseId, redact, failures: FAILURES });
  }
  return otherWire({ server, client, request, encoding: encodingFor(asked, createdAt), responseId, redact, store });
}

function answeringWhole(exchange: GatewayExchange, options: WholeAnswerOptions): () => Promise<void> {
  return () => wholeAnswer(exchange, options);
}

function answeringStream(exchange: GatewayExchange, options: StreamAnswerOptions): () => Promise<void> {
  return () => streamAnswer(exchange, options);
}

function tellingQuirks(
  answer: () => Promise<void>,
  watch: QuirkWatch,
  { record, parts: { onQuirk } }: GatewayExchange,
): () => Promise<void> {
  return async () => {
    try {
      await answer();
    } finally {
      const quirk = watch.caseOf(`recorded-${record.id}`, record.repairs);
      if (quirk) onQuirk?.(quirk);
    }
  };
}
