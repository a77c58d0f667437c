import { ModelError } from '../../base/errors.ts';
import type { SentExchange } from '../../model/exchange/open-exchange.ts';
import { asClientError, ClientError } from '../../wire/edge/client-error.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { BodyRoom, TakenRoom } from '../server/body-room.ts';
import type { Incoming, Outgoing } from '../server/client-io.ts';
import { sendError, sendJson } from '../server/send-json.ts';
import type { TimeLimit } from '../server/time-limit.ts';
import { createClientAnswer } from './client-answer.ts';
import type { ExchangeParts, GatewayExchange } from './exchange.ts';
import { createExchangeRecord, type ExchangeRecord, noteError, reportOf } from './exchange-record.ts';
import { expandReferences } from './expand-references.ts';
import { sendFailedStream } from './failed-stream.ts';
import { openUpstream } from './open-upstream.ts';
import { type AnswerClient, prepareAnswer } from './prepare-answer.ts';
import { readBody, requestOf } from './read-request.ts';
import { upstreamError } from './upstream-error.ts';

/**
 * Runs one exchange from the client's request to the end of its answer. Never throws, and reports the exchange exactly
 * once.
 */
export async function runExchange(
  wire: Wire,
  { incoming, outgoing }: { readonly incoming: Incoming; readonly outgoing: Outgoing },
  parts: ExchangeParts,
): Promise<void> {
  const { world, settings } = parts;
  const startedAt = world.now();
  const record = createExchangeRecord(world.uuid());
  const limit = parts.timers.startTimeLimit(incoming, settings.limits.maxExchangeMs);
  const exchange: GatewayExchange = {
    wire,
    incoming,
    outgoing: createClientAnswer(outgoing, record, parts),
    record,
    limit,
    parts,
  };
  try {
    parts.admit(incoming);
    const answer = await openAnswer(exchange);
    await answer();
  } catch (error) {
    limit.abort();
    sendFailure(clientErrorFor(error, limit, record), exchange);
  } finally {
    limit.stop();
    parts.onReport(reportOf(record, wire.name, { startedAt, now: world.now(), left: incoming.left }));
  }
}

function sendFailure(told: ClientError, { wire, incoming, outgoing, record, parts: { world } }: GatewayExchange): void {
  const hasLeft = incoming.left;
  if (!hasLeft) noteError(record, told);
  const isBegun = record.status !== null;
  if (hasLeft || record.spoke || (isBegun && !record.stream)) outgoing.abort();
  else if (!isBegun && !(record.stream && wire.edge.reportedInStream(told.code))) sendError(outgoing, told, wire.edge);
  else {
    const createdAt = Math.floor(world.now() / 1000);
    sendFailedStream(outgoing, told, { wire, model: record.asked ?? '', createdAt, uuid: world.uuid() });
  }
}

function clientErrorFor(error: unknown, limit: TimeLimit, { asked }: ExchangeRecord): ClientError {
  const late = limit.expired();
  if (late !== undefined && asked === null) {
    const said = `The request did not arrive in time. ${late.message}`;
    return new ClientError(said, { status: 408, code: 'request_timeout' });
  }
  if (late !== undefined) return upstreamError(late);
  return error instanceof ModelError ? upstreamError(error) : asClientError(error);
}

/** Takes room for the body, which is as large as it may be if the client does not say how large it is. */
function takeRoom({ incoming, limit, parts: { bodyRoom, settings } }: GatewayExchange): ReturnType<BodyRoom['take']> {
  const { maxBodyBytes, maxBodiesBytes, maxBodyWaitMs } = settings.limits;
  const length = Number(incoming.header('content-length') ?? maxBodyBytes);
  const options = { maxBytes: maxBodiesBytes, waitMs: maxBodyWaitMs, signal: limit.signal };
  // A body that is too large is not read.
  return bodyRoom.take(length <= maxBodyBytes ? length : 0, options);
}

/**
 * Sends the request to its server. Returns only a function that answers the client: a request may be long, and must not
 * be kept while its answer streams.
 */
async function openAnswer(exchange: GatewayExchange): Promise<() => Promise<void>> {
  const taken = takeRoom(exchange);
  const room = taken instanceof Promise ? await taken : taken;
  try {
    return await openAnswerIn(room, exchange);
  } finally {
    room.release();
  }
}

async function openAnswerIn(room: TakenRoom, exchange: GatewayExchange): Promise<() => Promise<void>> {
  const { wire, incoming, record, limit, parts } = exchange;
  const { settings, store } = parts;
  const { maxBodyBytes, silenceMs, idleTimeoutMs: maxIdleMs } = settings.limits;
  const itemKey = record.id.replaceAll('-', '');
  const body = readBody(incoming, { maxBytes: maxBodyBytes, signal: limit.signal });
  const read = requestOf(wire, body instanceof Promise ? await body : body, itemKey);
  room.shrink(read.source.bytes?.byteLength ?? 0);
  record.stream = read.stream;
  if (read.stream) exchange.outgoing.keepAlive(wire.framing, silenceMs);
  record.asked = read.model;
  const found = parts.findTarget(read.model);
  const target = found instanceof Promise ? await found : found;
  if (target === undefined) throw unknownModel(read.model);
  record.provider = target.provider.id;
  record.model = target.model;
  const empty = wire.edge.emptyAnswer?.(read.body, Math.floor(parts.world.now() / 1000));
  if (empty !== undefined && parts.memory.wiresOf(target.provider, wire.name)[0] !== wire.name)
    return async () => sendEmpty(exchange, empty);
  const expanded = expandReferences(read, { store, provider: target.provider.id, itemKey });
  const asked = expanded instanceof Promise ? await expanded : expanded;
  const idleTimeoutMs = Math.min(maxIdleMs, target.provider.streamIdleTimeoutMs);
  const prepare = (sent: SentExchange<Wire>) => prepareAnswer(exchange, { asked, target, sent, idleTimeoutMs });
  const early = createEarlyAnswer(prepare);
  const opened = await openUpstream(exchange, asked, { target, idleTimeoutMs, onSent: early.prepare });
  try {
    const answer = early.answerFor(opened) ?? prepare(opened);
    return () => answer(opened.response);
  } catch (error) {
    opened.response.close();
    throw error;
  }
}

/** Answers a request that asks nothing: with one frame where the client expects a stream. */
function sendEmpty({ wire: { framing }, outgoing, record }: GatewayExchange, answer: Fields): void {
  if (!record.stream) {
    sendJson(outgoing, 200, answer);
    return;
  }
  outgoing.beginStream(framing);
  void outgoing.write(framing.write([{ data: JSON.stringify(answer) }]));
  outgoing.end();
}

/** Prepares for an answer while the server works, as if it would accept the request in the form in which it was sent. */
function createEarlyAnswer(prepare: (sent: SentExchange<Wire>) => AnswerClient) {
  let last: { readonly sent: SentExchange<Wire>; readonly answer: AnswerClient } | undefined;
  return {
    prepare(sent: SentExchange<Wire>): void {
      try {
        last = { sent, answer: prepare(sent) };
      } catch {
        // It fails again when the server has answered, and is reported then.
        last = undefined;
      }
    },
    /** Returns the prepared answer, if the request was accepted in the form for which it was prepared. */
    answerFor({ wire, compat, renamed }: SentExchange<Wire>): AnswerClient | undefined {
      const isSame = last?.sent.wire === wire && last.sent.compat === compat && renamed === undefined;
      return isSame ? last?.answer : undefined;
    },
  };
}

function unknownModel(model: string): ClientError {
  const said = `There is no model ${JSON.stringify(model)} here. GET /v1/models lists the models.`;
  return new ClientError(said, { status: 404, code: 'model_not_found', param: 'model' });
}
