import { ModelError } from '../base/errors.ts';
import { type Item, isCall, messageText } from '../base/item.ts';
import type { ModelEvent, ModelRequest } from '../base/model.ts';
import { addUsage, type Usage } from '../base/usage.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { createHostedSearches, type HostedSearches } from './hosted-searches.ts';
import { digestText } from './prefix.ts';
import { recordRepair } from './record-repair.ts';
import { showTurnDiff } from './show-patch.ts';
import { completedItem } from './thread-item.ts';
import { toTokenCounts } from './token-counts.ts';
import type { Turn } from './turn-setup.ts';

export interface Response {
  /** Whether there is something to send back. */
  readonly followUp: boolean;
  readonly lastMessage: string | null;
}

/**
 * One response of the model, asked for again when it breaks. Each attempt is built from the history as it stands, so
 * what a broken response had completed is kept: its calls have run once, and their outputs go with the next attempt.
 */
export async function sample(turn: Turn): Promise<Response> {
  const { model, world } = turn.setup;
  for (let attempt = 0; ; attempt++) {
    turn.limits.beforeRequest();
    const dispatch = createDispatch(turn);
    try {
      const end = await attemptResponse(turn, dispatch, attempt);
      await dispatch.settle();
      await showTurnDiff(turn);
      return { followUp: dispatch.count > 0 || end.endTurn === false, lastMessage: end.lastMessage };
    } catch (error) {
      await dispatch.settle();
      await showTurnDiff(turn);
      turn.signal.throwIfAborted();
      if (!(error instanceof ModelError) || !error.retryable || attempt >= model.maxStreamRetries) throw error;
      const delayMs = model.retryDelayMs(attempt + 1, error);
      const reason = error.message;
      turn.emit({ type: 'retry', of: 'response', attempt: attempt + 1, max: model.maxStreamRetries, delayMs, reason });
      await world.sleep(delayMs, turn.signal);
    }
  }
}

interface ResponseEnd {
  readonly endTurn: boolean | null;
  readonly lastMessage: string | null;
}

async function attemptResponse(turn: Turn, dispatch: Dispatch, attempt: number): Promise<ResponseEnd> {
  const request = turn.state.requests + 1;
  const startedAt = turn.setup.world.now();
  const digest = digestText(turn.state.digest);
  await turn.record({ type: 'oxbow', payload: { kind: 'request.started', request, attempt, digest } });
  const ended = async (error?: string) => {
    const ms = turn.setup.world.now() - startedAt;
    const payload = { kind: 'request.ended', request, ms, ...(error === undefined ? {} : { error }) } as const;
    await turn.record({ type: 'oxbow', payload });
    turn.emit({ type: 'request.ended', request, ms, error: error ?? null });
  };
  try {
    const end = await followResponse(turn, dispatch);
    await ended();
    return end;
  } catch (error) {
    await ended(error instanceof ModelError ? error.code : 'internal');
    throw error;
  }
}

async function followResponse(turn: Turn, dispatch: Dispatch): Promise<ResponseEnd> {
  const searches = createHostedSearches(turn);
  try {
    return await takeEvents(turn, dispatch, searches);
  } finally {
    searches.end();
  }
}

async function takeEvents(turn: Turn, dispatch: Dispatch, searches: HostedSearches): Promise<ResponseEnd> {
  const { model } = turn.setup;
  let lastMessage: string | null = null;
  for await (const event of model.stream(buildRequest(turn), { signal: turn.signal, turnId: turn.id })) {
    switch (event.type) {
      case 'item.done':
        await takeItem(turn, event.item, dispatch);
        if (event.item.type === 'web_search_call') searches.done(event.item);
        if (event.item.type === 'message') lastMessage = messageText(event.item);
        break;
      case 'item.started':
        if (event.item.type === 'web_search_call') searches.started(event.item.id);
        break;
      case 'completed':
        await takeUsage(turn, event.usage);
        return { endTurn: event.endTurn, lastMessage };
      case 'incomplete':
        await takeUsage(turn, event.usage);
        dispatch.refuseWaiting(`not run: the response was cut off (${event.reason})`);
        throw new ModelError('incomplete', `The model's response was cut off: ${event.reason}.`);
      case 'created':
        // The server is busy with its answer now: time to get hands ready without delaying the request.
        turn.setup.environment.prepare();
        break;
      case 'repair':
        await recordRepair(turn, event.repair);
        break;
      default:
        report(turn, event);
    }
  }
  throw new ModelError('stream_broken', 'The response ended without saying so.', { retryable: true });
}

function buildRequest({ id, setup, state, outputSchema }: Turn): ModelRequest {
  const schema = { name: 'codex_output_schema', strict: true, schema: outputSchema };
  return {
    ...setup.request,
    ...(outputSchema === undefined ? {} : { text: { ...setup.request.text, schema } }),
    instructions: state.instructions ?? setup.prompt.instructions,
    input: state.history,
    failedCalls: state.failedCalls,
    tools: setup.tools.offered,
    metadata: { session_id: setup.id, thread_id: setup.id, turn_id: id },
  };
}

/** On disk first; then seen; then, if it is a call, run at once, while the response may go on. */
async function takeItem(turn: Turn, item: Item, dispatch: Dispatch): Promise<void> {
  await turn.record({ type: 'response_item', payload: item });
  const shown = completedItem(item, turn.setup.showRawReasoning);
  if (shown) turn.emit({ type: 'item.completed', item: shown });
  if (!isCall(item)) return;
  dispatch.start(item);
  // It gets under way before the rest of the response is looked at.
  await new Promise(setImmediate);
}

async function takeUsage(turn: Turn, usage: Usage | null): Promise<void> {
  turn.limits.afterResponse(usage);
  if (usage) {
    const total = addUsage(turn.state.usage, usage);
    const info = { total_token_usage: toTokenCounts(total), last_token_usage: toTokenCounts(usage) };
    await turn.record({ type: 'event_msg', payload: { type: 'token_count', info } });
  }
  turn.emit({ type: 'usage', response: usage, thread: turn.state.usage });
}

function report(turn: Turn, event: ModelEvent): void {
  if (event.type === 'text.delta' || event.type === 'reasoning.delta' || event.type === 'reasoning.section') {
    turn.emit(event);
  }
}
