import type { ModelRequest } from '../../base/model.ts';
import type { Repair } from '../../base/repair.ts';
import type { SentExchange } from '../../model/exchange/open-exchange.ts';
import { type CallWatch, createRepairedFrames, type RepairedFrames } from '../../model/exchange/repaired-frames.ts';
import type { HttpResponse } from '../../model/http.ts';
import { repairStream } from '../../repair/repair-stream.ts';
import type { Translator } from '../../wire/edge/translator.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Target } from '../target.ts';
import { createBridge } from './bridge.ts';
import type { GatewayExchange } from './exchange.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { keepResponseFor } from './keep-response.ts';
import { createQuirkWatch, type QuirkWatch } from './quirk-case.ts';
import { type ClientRequest, encodingFor } from './read-request.ts';
import { firstCallOnly } from './single-call.ts';
import { type StreamAnswerOptions, streamAnswer } from './stream-answer.ts';
import { FAILURES } from './upstream-error.ts';
import { type WholeAnswerOptions, wholeAnswer } from './whole-answer.ts';

/** A request that was sent, and whose answer is expected. */
export interface PendingAnswer {
  readonly asked: ClientRequest;
  readonly target: Target;
  readonly sent: SentExchange<Wire>;
  readonly idleTimeoutMs: number;
}

/** Answers the client with a server's answer. */
export type AnswerClient = (response: HttpResponse) => Promise<void>;

/**
 * Prepares for the answer to a request. Nothing happens before the returned function is called. The functions made here
 * live as long as the answer, so they must not refer to the request.
 */
export function prepareAnswer(exchange: GatewayExchange, pending: PendingAnswer): AnswerClient {
  const { asked, sent, idleTimeoutMs } = pending;
  const { wire, record, parts } = exchange;
  const request = asked.decoded.lenient();
  const watch = parts.onQuirk && createQuirkWatch(sent.wire, request, sent.redact);
  const frames = framesOf(exchange, pending, request, watch);
  const keep = keepResponseFor(exchange, asked, request);
  const responseId = wire.edge.responseId(record.id);
  const createdAt = Math.floor(parts.world.now() / 1000);
  const answer = asked.stream
    ? answeringStream(exchange, {
        frames,
        translator: translatorFor(pending, request, { responseId, createdAt }),
        idleTimeoutMs,
        maxAnswersBytes: exchange.parts.settings.limits.maxAnswersBytes,
        keep,
      })
    : answeringWhole(exchange, {
        asked,
        request,
        sent,
        frames,
        idleTimeoutMs,
        responseId,
        renamedModel: renamedModelOf(pending),
        createdAt,
        keep,
      });
  return watch === undefined ? answer : reportingQuirks(answer, watch, exchange);
}

function framesOf(
  { record }: GatewayExchange,
  { asked, target, sent }: PendingAnswer,
  request: ModelRequest,
  watch: QuirkWatch | undefined,
): RepairedFrames {
  const { wire, compat, renamed, repairMemory: memory } = sent;
  // The repair looks for tools by the names that were sent.
  const asSent = renamed === undefined ? request : { ...request, tools: renamed.tools };
  const onRepair = (repair: Repair) => void record.repairs.push(repair);
  return createRepairedFrames({
    framing: wire.framing,
    repair: repairStream(wire.name, { request: asSent, compat, memory, onRepair }),
    restore: renamed?.restore,
    watch,
    calls: asked.stream ? callWatch(wire, record) : undefined,
    keep: target.singleCall ? firstCallOnly(wire.edge, () => onRepair(FIRST_CALL)) : undefined,
  });
}

function callWatch({ edge }: Wire, { calls: begun }: ExchangeRecord): CallWatch | undefined {
  const { callsIn: countIn } = edge;
  return countIn && { countIn, begun: (frame, calls) => void begun.push({ frame, calls }) };
}

/** Reported like a repair, because the client gets another response than the model sent. */
const FIRST_CALL: Repair = {
  id: 'single_call',
  title: 'the client takes only the first call of a response',
  frame: null,
  callId: null,
  before: '',
  after: '',
};

function translatorFor(
  pending: PendingAnswer,
  request: ModelRequest,
  { responseId, createdAt }: { readonly responseId: string; readonly createdAt: number },
): Translator {
  const { asked, sent } = pending;
  const { wire: client, includeUsage } = asked;
  const { wire: server, redact } = sent;
  const store = client.edge.stored?.isKept(asked.body) === true;
  const encoding = encodingFor(asked, createdAt);
  if (client === server) {
    const renamedModel = renamedModelOf(pending);
    const options = { includeUsage, store, responseId, renamedModel, encoding, redact, failures: FAILURES };
    return client.edge.passThrough(options);
  }
  return createBridge({ server, client, request, encoding, responseId, redact, store });
}

/** Returns the name of the model that the client asked for; undefined if the server knows it by the same name. */
function renamedModelOf({ asked, target }: PendingAnswer): string | undefined {
  return asked.model === target.model ? undefined : asked.model;
}

function answeringWhole(exchange: GatewayExchange, options: WholeAnswerOptions): AnswerClient {
  return (response) => wholeAnswer(exchange, response, options);
}

function answeringStream(exchange: GatewayExchange, options: StreamAnswerOptions): AnswerClient {
  return (response) => streamAnswer(exchange, response, options);
}

function reportingQuirks(
  answer: AnswerClient,
  watch: QuirkWatch,
  { record, parts: { onQuirk } }: GatewayExchange,
): AnswerClient {
  return async (response) => {
    try {
      await answer(response);
    } finally {
      const quirk = watch.caseOf(`recorded-${record.id}`, record.repairs);
      if (quirk) onQuirk?.(quirk);
    }
  };
}
