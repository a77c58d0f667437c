import { restoreNames } from '../adapt/adapt-frames.ts';
import { adaptRequest } from '../adapt/adapt-request.ts';
import { learn } from '../adapt/learn.ts';
import type { Lesson } from '../adapt/refusals/rule.ts';
import { ModelError } from '../base/errors.ts';
import { isCall, messageText } from '../base/item.ts';
import type { ModelRequest, StreamedEvent } from '../base/model.ts';
import type { Provider } from '../base/provider.ts';
import { wholeText } from '../base/request-text.ts';
import { createRetryBudget } from '../base/retry-budget.ts';
import type { Compat, Frame } from '../base/wire.ts';
import { type Adapt, encodeFields } from '../model/exchange/encoded-request.ts';
import { type OpenedExchange, openExchange } from '../model/exchange/open-exchange.ts';
import { createServerMemory } from '../model/server-memory.ts';
import type { Wire } from '../wire/edge/wire.ts';
import type { ProbeAnswer } from './answer.ts';
import type { BoundedHttp } from './bounded-http.ts';
import type { ProbeParts } from './parts.ts';
import { type ProbeQuestion, requestOf } from './question.ts';
import { isEnd, readEvents } from './read-events.ts';

/** A question with everything that it takes to send it. */
export interface AskOptions extends ProbeParts {
  readonly provider: Provider;
  readonly http: BoundedHttp;
  readonly model: string;
  readonly wire: Wire;
  /** The settings that are known to be right. */
  readonly compat: Compat;
}

/**
 * Sends a question with the code that the agent sends its requests with, and reads the answer. Refusals are learned from
 * and broken answers repaired as in a turn, so lessons and repairs are what was seen. Never throws for a server.
 */
export async function ask(question: ProbeQuestion, options: AskOptions): Promise<ProbeAnswer> {
  const { http, model, wire, compat, timeoutMs } = options;
  const request = requestOf(question, model);
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, late]);
  const tried: Lesson[] = [];
  const seen: StreamedEvent[] = [];
  http.begin();
  let opened: OpenedExchange<Wire> | undefined;
  let error: ModelError | undefined;
  try {
    const found = await open(question, request, {
      ...options,
      compat: { ...compat, ...question.compat },
      signal,
      tried,
    });
    if ('error' in found) error = found.error;
    else {
      opened = found;
      error = await readEvents(request, opened, timeoutMs, seen);
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    error = thrown;
  }
  if (late.aborted && error !== undefined) error = lateError(timeoutMs);
  return answerOf({ wire, seen, opened, error, tried, http, compat, isTrial: question.compat !== undefined });
}

async function open(
  question: ProbeQuestion,
  request: ModelRequest,
  options: AskOptions & { readonly tried: Lesson[] },
) {
  const { provider, wire, compat, http, tried, timeoutMs, signal } = options;
  const adapting: Adapt = { wire, adaptRequest, restoreNames, learn };
  return openExchange<Wire>({
    ...options,
    target: { provider: { ...provider, wire: wire.name, requestMaxRetries: 0, compat }, model: request.model },
    wanted: wire.name,
    wireOf: () => wire,
    encoderFor: () => ({
      encode(current) {
        const encoded = JSON.parse(wholeText(wire.encodeRequest(request, current)));
        const fields = question.edit?.(encoded, wire) ?? encoded;
        return encodeFields(fields, current, adapting, () => Buffer.from(JSON.stringify(fields)));
      },
      dropSealed: () => 0,
    }),
    adaptFor: () => adapting,
    http,
    // Each question has a memory of its own, so that a trial teaches nothing before it has succeeded.
    memory: createServerMemory(),
    idleTimeoutMs: timeoutMs,
    budget: createRetryBudget(0),
    signal,
    onChange(change) {
      if (change.type === 'learned') tried.push(change.lesson);
    },
  });
}

function lateError(timeoutMs: number): ModelError {
  return new ModelError('idle_timeout', `The server gave no whole answer within ${timeoutMs / 1000} s.`);
}

interface Asked extends Pick<ProbeAnswer, 'wire' | 'error' | 'compat' | 'isTrial'> {
  readonly seen: readonly StreamedEvent[];
  readonly opened: OpenedExchange<Wire> | undefined;
  readonly tried: readonly Lesson[];
  readonly http: BoundedHttp;
}

function answerOf({ wire, seen, opened, error, tried, http, compat, isTrial }: Asked): ProbeAnswer {
  const redact = opened?.redact ?? ((text: string) => text);
  const items = seen.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  const end = seen.find(isEnd);
  const isAccepted = opened !== undefined;
  return {
    wire,
    ended: error !== undefined || end === undefined ? 'failed' : (end.type as ProbeAnswer['ended']),
    text: items.map((item) => (item.type === 'message' ? messageText(item) : '')).join(''),
    items,
    calls: items.filter(isCall),
    usage: end !== undefined && 'usage' in end ? end.usage : null,
    repairs: seen.flatMap((event) =>
      event.type === 'repair'
        ? [{ ...event.repair, before: redact(event.repair.before), after: redact(event.repair.after) }]
        : [],
    ),
    lessons: isAccepted ? tried : [],
    unproven: isAccepted ? [] : tried,
    compat: opened?.compat ?? compat,
    error,
    frames: framesOf(wire, http),
    body: redact(bodyOf(http)),
    status: http.last?.status,
    isTrial,
  };
}

function framesOf(wire: Wire, { last }: BoundedHttp): readonly Frame[] {
  const reader = wire.framing.createReader();
  return [...(last?.chunks ?? []).flatMap((bytes) => reader.push(bytes)), ...reader.end()];
}

function bodyOf({ last }: BoundedHttp): string {
  return Buffer.concat(last?.chunks ?? []).toString();
}
