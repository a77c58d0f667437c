import { digestText } from '../../base/digest-of.ts';
import { ModelError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import type { RequestLedger } from '../../base/ledger.ts';
import type { ModelRequest, StreamOptions } from '../../base/model.ts';
import { createRetryBudget, type RetryBudget, takeRetry } from '../../base/retry-budget.ts';
import { addUsage, NO_USAGE, type Usage } from '../../base/usage.ts';
import { toTokenCounts } from '../state/token-counts.ts';
import type { Turn } from '../turn-setup.ts';
import { noticeTruncation } from './notice-truncation.ts';
import { recordForgottenReasoning, recordTools } from './prefix.ts';

/**
 * Asks for a response, and again if it breaks. Throws the error of the last attempt, or the reason why the turn was
 * interrupted.
 */
export async function withRetries<T>(turn: Turn, ask: (facts: RequestFacts) => Promise<T>): Promise<T> {
  const { model } = turn.setup;
  const { world } = turn.thread;
  const budget = createRetryBudget(model.maxRetries ?? model.maxStreamRetries);
  let waits = 0;
  for (let attempt = 0; ; attempt++) {
    turn.limits.beforeRequest();
    try {
      return await ask({ attempt, budget });
    } catch (error) {
      turn.signal.throwIfAborted();
      if (await waitForLimit(turn, error)) {
        waits++;
        continue;
      }
      if (!(error instanceof ModelError) || !error.retryable || attempt - waits >= model.maxStreamRetries) throw error;
      const retry = takeRetry(budget, error, model.retryDelayMs(budget.retries + 1, error), world.now());
      turn.emit({ type: 'retry', of: 'response', ...retry, reason: error.message });
      await world.sleep(retry.delayMs, turn.signal);
    }
  }
}

/** Longest time that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits for the end of a usage limit if the user wants that and the server says when it is. Returns false otherwise. */
async function waitForLimit({ setup, thread: { world }, signal, emit }: Turn, error: unknown): Promise<boolean> {
  if (!setup.waitsForLimits || !(error instanceof ModelError) || error.code !== 'usage_limit_reached') return false;
  const { resetsAt = 0 } = error;
  const delayMs = Math.ceil(resetsAt - world.now());
  if (delayMs <= 0 || delayMs > MAX_TIMER_MS) return false;
  emit({ type: 'usage.waiting', until: resetsAt });
  await world.sleep(delayMs, signal);
  return true;
}

export interface RequestFacts {
  readonly attempt: number;
  readonly budget: RetryBudget;
  /** Set for a request that does not continue the turn's own work. */
  readonly purpose?: 'summary';
}

/** Sends one request and follows its response. Records both its start and its end. */
export async function sendRequest<T>(
  turn: Turn,
  { attempt, budget, purpose }: RequestFacts,
  follow: (options: StreamOptions) => Promise<T>,
): Promise<T> {
  await turn.settled();
  noticeTruncation(turn);
  await recordForgottenReasoning(turn);
  await recordTools(turn);
  const request = turn.state.requests + 1;
  const startedAt = turn.thread.world.monotonic();
  const digest = digestText(turn.state.digest);
  const kind = 'request.started';
  await turn.record({
    type: 'oxbow',
    payload: { kind, request, attempt, digest, ...(purpose === undefined ? {} : { purpose }) },
  });
  const { meter } = turn.ledger.beginRequest();
  const warn = (message: string) => turn.emit({ type: 'warning', code: 'model', message });
  let end: T;
  try {
    end = await follow({ signal: turn.signal, turnId: turn.id, budget, meter, warn });
  } catch (error) {
    await recordRequestEnd(turn, { request, attempt, startedAt, error });
    throw error;
  }
  await recordRequestEnd(turn, { request, attempt, startedAt });
  return end;
}

/** Returns the request of a turn with this input. */
export function modelRequest({ id, thread, setup, state, tools }: Turn, input: readonly Item[]): ModelRequest {
  return {
    ...setup.request,
    instructions: state.instructions ?? setup.prompt.instructions,
    input,
    failedCalls: state.failedCalls,
    tools: tools.offered,
    metadata: { session_id: thread.id, thread_id: thread.id, turn_id: id },
  };
}

/** Records and reports the tokens of a response. */
export async function recordUsage(turn: Turn, usage: Usage | null): Promise<void> {
  turn.ledger.request.usage = usage;
  const total = usage ? addUsage(turn.state.usage, usage) : turn.state.usage;
  if (usage) {
    const info = { total_token_usage: toTokenCounts(total), last_token_usage: toTokenCounts(usage) };
    await turn.note({ type: 'event_msg', payload: { type: 'token_count', info } });
  }
  turn.emit({ type: 'usage', response: usage, thread: total });
}

interface EndedRequest {
  readonly request: number;
  /** Number of the attempt. Above 0, the response before it broke. */
  readonly attempt: number;
  /** Monotonic time of the world. */
  readonly startedAt: number;
  /** The thrown error, or undefined. */
  readonly error?: unknown;
}

/** Records the costs of a request in its line, adds them to the turn's ledger and limits, and emits an event. */
async function recordRequestEnd(turn: Turn, ended: EndedRequest): Promise<void> {
  const { request, attempt } = ended;
  const took = takenBy(turn, ended);
  const { usage, cost, retries, sentBytes, receivedBytes } = took;
  turn.ledger.add({
    requests: 1,
    retries: retries + (attempt > 0 ? 1 : 0),
    modelMs: took.ms,
    cost,
    sentBytes,
    receivedBytes,
    ...(usage ? { usage } : {}),
  });
  const counted = turn.limits.afterResponse(isAnswered(took, ended.error) ? took : NOTHING_TAKEN);
  await turn.note({
    type: 'oxbow',
    payload: {
      kind: 'request.ended',
      request,
      ms: took.ms,
      ...(took.error === null ? {} : { error: took.error }),
      model: took.model,
      usage: usage && toTokenCounts(usage),
      cost,
      ...(cost === null && counted !== null ? { counted_cost: counted } : {}),
      retries,
      repairs: took.repairs,
      sent_bytes: sentBytes,
      received_bytes: receivedBytes,
    },
  });
  turn.emit({ type: 'request.ended', request, ...took });
}

const NOTHING_TAKEN = { usage: NO_USAGE, cost: 0, sentBytes: 0, receivedBytes: 0 };

function takenBy({ thread, setup, ledger }: Turn, { startedAt, error }: EndedRequest): RequestLedger {
  const { meter, usage, repairs } = ledger.request;
  const { sentBytes, receivedBytes, retries, waitedMs } = meter;
  const took = {
    ms: thread.world.monotonic() - startedAt - (waitedMs ?? 0),
    ...(waitedMs === undefined ? {} : { waitedMs }),
    error: error === undefined ? null : error instanceof ModelError ? error.code : 'internal',
    model: setup.request.model,
    usage,
    retries,
    sentBytes,
    receivedBytes,
    repairs,
  };
  // A refused request is not charged. The charge for a response that broke off is unknown.
  const charged = usage ?? (isAnswered(took, error) ? null : NO_USAGE);
  return { ...took, cost: charged && setup.price(charged) };
}

/** Reports whether any part of a response came. */
function isAnswered({ usage, receivedBytes }: Pick<RequestLedger, 'usage' | 'receivedBytes'>, error: unknown): boolean {
  if (usage) return true;
  return receivedBytes > 0 && !(error instanceof ModelError && error.status !== undefined);
}
