import type { ModelRequest } from '../../base/model.ts';
import type { Repair } from '../../base/repair.ts';
import type { OpenedExchange } from '../../model/exchange/open-exchange.ts';
import { type CallWatch, createRepairedFrames, type RepairedFrames } from '../../model/exchange/repaired-frames.ts';
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

/** A request that was sent, and the server that has begun to answer it. */
export interface PendingAnswer {
  readonly asked: ClientRequest;
  readonly target: Target;
  readonly opened: OpenedExchange<Wire>;
  readonly idleTimeoutMs: number;
}

/**
 * Returns a function that answers the client. The functions made here live as long as the answer, so they must not
 * refer to the request.
 */
export function prepareAnswer(exchange: GatewayExchange, sent: PendingAnswer): () => Promise<void> {
  const { asked, opened, idleTimeoutMs } = sent;
  const { wire, record, parts } = exchange;
  const request = asked.decoded.lenient();
  const watch = parts.onQuirk && createQuirkWatch(opened.wire, request, opened.redact);
  const frames = framesOf(exchange, sent, request, watch);
  const keep = keepResponseFor(exchange, asked, request);
  const responseId = wire.edge.responseId(record.id);
  const createdAt = Math.floor(parts.world.now() / 1000);
  const answer = asked.stream
    ? answeringStream(exchange, {
        response: opened.response,
        frames,
        translator: translatorFor(sent, request, { responseId, createdAt }),
        idleTimeoutMs,
        maxAnswersBytes: exchange.parts.settings.limits.maxAnswersBytes,
        keep,
      })
    : answeringWhole(exchange, {
        asked,
        request,
        opened,
        frames,
        idleTimeoutMs,
        responseId,
        renamedModel: renamedModelOf(sent),
        createdAt,
        keep,
      });
  return watch === undefined ? answer : reportingQuirks(answer, watch, exchange);
}

function framesOf(
  { record }: GatewayExchange,
  { asked, target, opened }: PendingAnswer,
  request: ModelRequest,
  watch: QuirkWatch | undefined,
): RepairedFrames {
  const { wire, compat, renamed, repairMemory: memory } = opened;
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
  sent: PendingAnswer,
  request: ModelRequest,
  { responseId, createdAt }: { readonly responseId: string; readonly createdAt: number },
): Translator {
  const { asked, opened } = sent;
  const { wire: client, includeUsage } = asked;
  const { wire: server, redact } = opened;
  const store = client.edge.stored?.isKept(asked.body) === true;
  const encoding = encodingFor(asked, createdAt);
  if (client === server) {
    const renamedModel = renamedModelOf(sent);
    const options = { includeUsage, store, responseId, renamedModel, encoding, redact, failures: FAILURES };
    return client.edge.passThrough(options);
  }
  return createBridge({ server, client, request, encoding, responseId, redact, store });
}

/** Returns the name of the model that the client asked for; undefined if the server knows it by the same name. */
function renamedModelOf({ asked, target }: PendingAnswer): string | undefined {
  return asked.model === target.model ? undefined : asked.model;
}

function answeringWhole(exchange: GatewayExchange, options: WholeAnswerOptions): () => Promise<void> {
  return () => wholeAnswer(exchange, options);
}

function answeringStream(exchange: GatewayExchange, options: StreamAnswerOptions): () => Promise<void> {
  return () => streamAnswer(exchange, options);
}

function reportingQuirks(
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
