import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent, StartedItem } from '../../base/model.ts';
import type { StreamDecoder } from '../../base/wire.ts';
import { readFailure } from '../edge/read-failure.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { canonicalItem, canonicalType } from './canonical-item.ts';
import { freshId } from './fresh-id.ts';
import { text } from './reader.ts';
import { readUsage } from './usage-fields.ts';

/**
 * Returns a decoder of one response. Only the `type` inside the data counts; the event name of the frame is ignored.
 */
export function decodeStream(): StreamDecoder {
  const state: State = { open: new Map(), taken: new Set(), done: new Set(), failure: undefined, finished: false };
  return {
    push(frame) {
      // Keep-alives, end marks and torn lines are not events.
      const event = state.finished ? undefined : frameValue(frame);
      return isRecord(event) ? (STEPS.get(event.type)?.(event, state) ?? []) : [];
    },
    end() {
      if (state.finished) return [];
      state.finished = true;
      return [state.failure ?? failed('stream_closed', 'stream closed before response.completed')];
    },
  };
}

interface State {
  /** Open items by output index, for servers that leave out ids or send another id with each event. */
  readonly open: Map<unknown, Pick<StartedItem, 'type' | 'id'>>;
  readonly taken: Set<string>;
  /** Ids of complete items. */
  readonly done: Set<string>;
  /** Failure, held back until the connection ends: items that arrive after it still count. */
  failure: FailedEvent | undefined;
  finished: boolean;
}

type FailedEvent = Extract<ModelEvent, { type: 'failed' }>;
type Step = (event: Fields, state: State) => readonly ModelEvent[];

const STEPS: ReadonlyMap<unknown, Step> = new Map<unknown, Step>([
  ['response.created', created],
  ['response.output_item.added', itemAdded],
  ['response.output_item.done', itemDone],
  ['response.output_text.delta', deltaOf('message', (itemId, delta) => ({ type: 'text.delta', itemId, delta }))],
  [
    'response.refusal.delta',
    deltaOf('message', (itemId, delta) => ({ type: 'text.delta', itemId, delta, refusal: true })),
  ],
  ['response.reasoning_summary_part.added', sectionAdded],
  ['response.reasoning_summary_text.delta', reasoningDelta('summary')],
  ['response.reasoning_text.delta', reasoningDelta('raw')],
  ['response.function_call_arguments.delta', inputDelta('function_call')],
  ['response.custom_tool_call_input.delta', inputDelta('custom_tool_call')],
  ['response.completed', completed],
  ['response.incomplete', incomplete],
  ['response.failed', (event, state) => hold(fieldsOf(event.response).error, state)],
  ['error', (event, state) => hold(event.error ?? { code: event.code, message: event.message }, state, 'unfinished')],
]);

function created(event: Fields): readonly ModelEvent[] {
  const responseId = text(fieldsOf(event.response).id);
  return responseId === undefined ? [] : [{ type: 'created', responseId }];
}

function itemAdded(event: Fields, state: State): readonly ModelEvent[] {
  const item = fieldsOf(event.item);
  const type = canonicalType(item);
  if (type === undefined) return [];
  const id = wordOf(item.id) ?? freshId(type, state.taken);
  state.open.set(event.output_index, { type, id });
  state.taken.add(id);
  return [{ type: 'item.started', item: startedItem(type, id, item) }];
}

const CALLS: ReadonlySet<Item['type']> = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);

function startedItem(type: Item['type'], id: string, item: Fields): StartedItem {
  if (!CALLS.has(type)) return { type, id };
  const name = text(item.name);
  const namespace = text(item.namespace);
  const callId = text(item.call_id) ?? text(item.id);
  return {
    type,
    id,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(callId !== undefined && { callId }),
  };
}

function itemDone(event: Fields, state: State): readonly ModelEvent[] {
  const item = canonicalItem(event.item);
  const id = item === undefined ? undefined : openId(item.id, event, item.type, state);
  // Some servers send index 0 for every item: the next item at this index is a different one.
  state.open.delete(event.output_index);
  // A call that was cut off must not run. The end of the response says why.
  if (item === undefined || (CALLS.has(item.type) && fieldsOf(event.item).status === 'incomplete')) return [];
  const own = id ?? freshId(item.type, state.taken);
  state.taken.add(own);
  state.done.add(own);
  return [{ type: 'item.done', item: item.id === own ? item : { ...item, id: own } }];
}

function sectionAdded(event: Fields, state: State): readonly ModelEvent[] {
  return [{ type: 'reasoning.section', itemId: itemId(event, 'reasoning', state) }];
}

function reasoningDelta(kind: 'summary' | 'raw'): Step {
  return deltaOf('reasoning', (id, delta) => ({ type: 'reasoning.delta', itemId: id, kind, delta }));
}

function inputDelta(type: 'function_call' | 'custom_tool_call'): Step {
  return deltaOf(type, (id, delta) => ({ type: 'input.delta', itemId: id, delta }));
}

function deltaOf(type: Item['type'], make: (itemId: string, delta: string) => ModelEvent): Step {
  return (event, state) => {
    const delta = text(event.delta);
    return delta === undefined ? [] : [make(itemId(event, type, state), delta)];
  };
}

/** Returns the id of a delta's item; a new one if neither the delta nor an open item has one. */
function itemId(event: Fields, type: Item['type'], state: State): string {
  const known = openId(event.item_id, event, type, state) ?? wordOf(event.item_id);
  if (known !== undefined) return known;
  const id = freshId(type, state.taken);
  state.open.set(event.output_index, { type, id });
  state.taken.add(id);
  return id;
}

/**
 * Returns the id of an item that is not complete: the id in its event, if the item was announced under it, else that of
 * the open item at its index, else the id in the event.
 */
function openId(said: unknown, event: Fields, type: Item['type'], state: State): string | undefined {
  const given = wordOf(said);
  const isNew = given !== undefined && !state.done.has(given);
  if (isNew && (state.taken.has(given) || event.output_index === undefined)) return given;
  const open = state.open.get(event.output_index);
  if (open?.type === type && !state.done.has(open.id)) return open.id;
  return isNew ? given : undefined;
}

function completed(event: Fields, state: State): readonly ModelEvent[] {
  state.finished = true;
  const response = fieldsOf(event.response);
  const responseId = text(response.id);
  if (responseId === undefined) {
    return [failed('invalid_response', 'The server finished with a response.completed that holds no response id.')];
  }
  const endTurn = typeof response.end_turn === 'boolean' ? response.end_turn : null;
  return [{ type: 'completed', responseId, usage: readUsage(response.usage), endTurn }];
}

function incomplete(event: Fields, state: State): readonly ModelEvent[] {
  state.finished = true;
  const response = fieldsOf(event.response);
  const reason = text(fieldsOf(response.incomplete_details).reason) ?? 'unknown';
  return [{ type: 'incomplete', responseId: text(response.id) ?? '', reason, usage: readUsage(response.usage) }];
}

function hold(error: unknown, state: State, end?: 'unfinished'): readonly ModelEvent[] {
  const { code, message } = fieldsOf(error);
  const read = readFailure(error);
  const next = failed(text(code) ?? read.code, text(message) ?? read.message);
  const before = state.failure;
  // A failure may be reported twice. The report without a code is the poorer one.
  const best = before === undefined || next.code !== null ? next : before;
  const isUnfinished = end !== undefined && (before === undefined || before.unfinished === true);
  state.failure = { ...failed(best.code, best.message), ...(isUnfinished && { unfinished: true }) };
  return [];
}

function failed(code: string | null, message: string): FailedEvent {
  return { type: 'failed', code, message };
}
