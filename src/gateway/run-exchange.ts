import { ModelError } from '../base/errors.ts';
import type { Item } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import type { Repair } from '../base/repair.ts';
import type { HttpResponse } from '../model/http.ts';
import type { ServerMemory } from '../model/server-memory.ts';
import { asClientError, ClientError } from '../wire/client-error.ts';
import type { Wires } from '../wire/registry.ts';
import type { FinishedResponse, Translator } from '../wire/translator.ts';
import type { Wire } from '../wire/wire.ts';
import type { Incoming, Outgoing } from './client-io.ts';
import { createExchangeRecord, type ExchangeRecord, noteError, recorded, reportOf } from './exchange-record.ts';
import { expandPrevious } from './expand-previous.ts';
import { sendFailedStream } from './failed-stream.ts';
import type { GatewayOptions, GatewaySettings } from './gateway.ts';
import { createMendedFrames } from './mended-frames.ts';

import { openUpstream, type SentRequest, type Upstream } from './open-upstream.ts';
import { otherWire } from './other-wire.ts';
import { understoodRequest } from './prepare-request.ts';
import { createQuirkWatch, type QuirkWatch } from './quirk-case.ts';
import { type AskedRequest, encodingFor, readRequest } from './read-request.ts';
import { sendError } from './send-json.ts';
import { firstCallOnly } from './single-call.ts';
import { type StreamAnswerOptions, streamAnswer } from './stream-answer.ts';
import type { Target } from './target.ts';
import { startTimeLimit, type TimeLimit } from './time-limit.ts';
import { FAILURES, upstreamError } from './upstream-error.ts';
import { type WholeAnswerOptions, wholeAnswer } from './whole-answer.ts';

export interface ExchangeOptions
  extends Pick<GatewayOptions, 'credentials' | 'env' | 'world' | 'store' | 'onReport' | 'onQuirk'> {
  readonly http: NonNullable<GatewayOptions['http']>;
  readonly memory: ServerMemory;
  readonly wires: Wires;
  /** Those at the time when the exchange began. */
  readonly settings: GatewaySettings;
  /** Refuses the exchange before anything of it is read. Throws `ClientError`. */
  readonly admit: () => void;
  /** Whether few others are under way. */
  readonly isQuiet: () => boolean;
}

/** One exchange from the client's request to the end of its answer. Never throws; tells of it exactly once. */
export async function runExchange(
  wire: Wire,
  { incoming, outgoing: client }: { readonly incoming: Incoming; readonly outgoing: Outgoing },
  options: ExchangeOptions,
): Promise<void> {
  const { world, settings } = options;
  const startedAt = world.now();
  const record = createExchangeRecord(world.uuid());
  const outgoing = recorded(client, record, world);
  const limit = startTimeLimit(incoming, settings.limits.maxExchangeMs);
  try {
    options.admit();
    await converse({ options, wire, incoming, outgoing, record, limit });
  } catch (error) {
    limit.abort();
    giveUp(toldError(error, limit, record), { options, wire, incoming, outgoing, record, limit });
  } finally {
    limit.stop();
    const { left } = incoming;
    options.onReport(reportOf(record, wire.name, { startedAt, now: world.now(), left }));
  }
}

function giveUp(told: ClientError, { options, wire, incoming, outgoing, record }: Conversing): void {
  const { world } = options;
  const hasLeft = incoming.left;
  if (!hasLeft) noteError(record, told);
  if (hasLeft || record.status !== null) outgoing.abort();
  else if (!record.stream || !wire.edge.toldInStream(told.code)) sendError(outgoing, told, wire.edge);
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

interface Conversing {
  readonly options: ExchangeOptions;
  readonly wire: Wire;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly record: ExchangeRecord;
  readonly limit: TimeLimit;
}

/** In two steps: what is known of a request, and may be long, must not be kept while its answer streams. */
async function converse(conversing: Conversing): Promise<void> {
  const { response, ready } = await openAnswer(conversing);
  const { answer, input } = ready;
  const finished = await answer(response);
  if (finished === undefined || input === undefined) return;
  conversing.options.store.put(finished.id, { input, output: finished.output, body: finished.body });
}

interface PreparedAnswer {
  /** Gives what a store may keep of the response. */
  readonly answer: (response: HttpResponse) => Promise<FinishedResponse | undefined>;
  /** What is answered, where the response is to be kept. */
  readonly input: readonly Item[] | undefined;
}

async function openAnswer(conversing: Conversing): Promise<Upstream<PreparedAnswer>> {
  const { options, wire, incoming, record, limit } = conversing;
  const { settings, store, credentials, env, world, http, memory, wires } = options;
  const { signal } = limit;
  const read = await readRequest(wire, incoming, { maxBytes: settings.limits.maxBodyBytes, signal });
  record.stream = read.stream;
  record.asked = read.model;
  const target = settings.targets.find(read.model);
  if (target === undefined) throw unknownModel(read.model);
  record.provider = target.provider.id;
  record.model = target.model;
  const asked = expandPrevious(read, store);
  const request = decodedOnce(asked);
  const idleTimeoutMs = Math.min(settings.limits.idleTimeoutMs, target.provider.streamIdleTimeoutMs);
  return await openUpstream({
    credentials,
    env,
    world,
    http,
    memory,
    wires,
    asked,
    request: request.strict,
    target,
    record,
    idleTimeoutMs,
    signal,
    ready(sent) {
      const understood = request.understood();
      return {
        answer: answerTo({ conversing, asked, target, sent, idleTimeoutMs, request: understood }),
        input: isStored(asked) ? understood.input : undefined,
      };
    },
  });
}

function isStored({ wire, body }: AskedRequest): boolean {
  return wire.edge.stored?.isKept(body) === true;
}

function unknownModel(model: string): ClientError {
  const said = `There is no model ${JSON.stringify(model)} here. GET /v1/models lists those that there are.`;
  return new ClientError(said, { status: 404, code: 'model_not_found', param: 'model' });
}

/** A request is decoded when somebody has to know what it says, and once. */
function decodedOnce(asked: AskedRequest): { strict(): ModelRequest; understood(): ModelRequest } {
  const { wire } = asked;
  let request: ModelRequest | undefined;
  return {
    strict: () => (request ??= wire.decodeRequest(asked.body)),
    understood: () => (request ??= understoodRequest(wire, asked.body)),
  };
}

interface Answering {
  readonly conversing: Conversing;
  readonly asked: AskedRequest;
  readonly target: Target;
  readonly request: ModelRequest;
  readonly sent: SentRequest;
  readonly idleTimeoutMs: number;
}

/** Functions made here live as long as the answer: they must not refer to the request. */
function answerTo(answering: Answering): PreparedAnswer['answer'] {
  const { conversing, asked, target, request, sent, idleTimeoutMs } = answering;
  const { options, outgoing, record, limit } = conversing;
  const { world, memory, onQuirk } = options;
  const watch = onQuirk && createQuirkWatch(sent.wire, request, sent.redact);
  const frames = createMendedFrames({
    sent,
    request,
    memory: memory.of(target).repair,
    onRepair: (repair) => record.repairs.push(repair),
    watch,
    keep: target.singleCall ? firstCallOnly(sent.wire.edge, () => record.repairs.push(FIRST_CALL)) : undefined,
  });
  const responseId = asked.wire.edge.responseId(record.id);
  const createdAt = Math.floor(world.now() / 1000);
  const timedOut = limit.expired;
  const { orAborted } = limit;
  const { isQuiet } = options;
  const answer = asked.stream
    ? answeringStream({
        frames,
        translator: translatorFor(answering, { responseId, createdAt }),
        framing: asked.wire.framing,
        outgoing,
        record,
        idleTimeoutMs,
        timedOut,
        orAborted,
        isQuiet,
      })
    : answeringWhole({
        sent,
        frames,
        asked,
        request,
        outgoing,
        record,
        idleTimeoutMs,
        timedOut,
        responseId,
        createdAt,
      });
  return watch === undefined || onQuirk === undefined ? answer : tellingQuirks(answer, { watch, onQuirk, record });
}

function answeringWhole(options: WholeAnswerOptions): PreparedAnswer['answer'] {
  return (response) => wholeAnswer(response, options);
}

function answeringStream(options: StreamAnswerOptions): PreparedAnswer['answer'] {
  const { translator, record } = options;
  return async (response) => {
    try {
      await streamAnswer(response, options);
    } finally {
      record.usage = translator.usage;
    }
    return translator.finished;
  };
}

interface QuirkTelling {
  readonly watch: QuirkWatch;
  readonly onQuirk: NonNullable<GatewayOptions['onQuirk']>;
  readonly record: ExchangeRecord;
}

function tellingQuirks(
  answer: PreparedAnswer['answer'],
  { watch, onQuirk, record }: QuirkTelling,
): PreparedAnswer['answer'] {
  return async (response) => {
    try {
      return await answer(response);
    } finally {
      const quirk = watch.caseOf(`recorded-${record.id}`, record.repairs);
      if (quirk) onQuirk(quirk);
    }
  };
}

/** Is told like a repair: the client gets another response than the model gave. */
const FIRST_CALL: Repair = {
  id: 'single_call',
  title: 'the client takes only the first call of a response',
  frame: null,
  callId: null,
  before: '',
  after: '',
};

function translatorFor(
  { asked, request, sent }: Answering,
  { responseId, createdAt }: { readonly responseId: string; readonly createdAt: number },
): Translator {
  const { wire: client, includeUsage } = asked;
  const { wire: server, redact } = sent;
  const store = isStored(asked);
  if (client === server) {
    return client.edge.passThrough({ includeUsage, store, responseId, redact, failures: FAILURES });
  }
  return otherWire({ server, client, request, encoding: encodingFor(asked, createdAt), responseId, redact, store });
}
