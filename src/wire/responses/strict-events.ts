import type { Item } from '../../base/item.ts';
import type { Frame } from '../../base/wire.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { madeFrame } from '../framing/frames.ts';
import { freshId } from './fresh-id.ts';
import { responseObject } from './response-object.ts';

/**
 * The events of a Responses server, completed for strict clients. The response begins first, items are announced before
 * they continue and end once, and numbers rise. Ids and indexes are present and consistent, and the last event lists
 * the items.
 */
export interface StrictEvents {
  /**
   * Returns the completed frame of an event; the same frame if nothing changes. Missing events before it are added to
   * `out`.
   */
  next(event: Fields, frame: Frame, out: Frame[]): Frame;
  /** Returns the last sequence number sent; -1 if the server sends none. */
  sequence(): number;
}

/** Creates the events of one response. Its id is the first that the server sends, or `responseId`. */
export function createStrictEvents(options: StrictOptions): StrictEvents {
  const state: StreamState = {
    options,
    responseId: undefined,
    namesItems: false,
    sequence: -1,
    indexes: new Map(),
    open: new Map(),
    last: undefined,
    done: new Set(),
    called: new Set(),
    items: [],
  };
  return {
    sequence: () => state.sequence,
    next(event, frame, out) {
      if (state.responseId === undefined) begin(event, state, out);
      // Fast path: nearly all events have this type, and comparing its long name is cheaper than looking it up.
      const step = event.type === TEXT_DELTA ? textDelta : STEPS.get(event.type);
      const next = numbered(step === undefined ? event : step(event, state, out), state);
      return next === event ? frame : madeFrame(next, frame.event);
    },
  };
}

type StrictOptions = Pick<PassOptions, 'responseId' | 'encoding'>;

interface StreamState {
  readonly options: StrictOptions;
  /** Id under which the client knows the response; undefined before the first event. */
  responseId: string | undefined;
  /** Whether an item has another id than its server sent at its end. */
  namesItems: boolean;
  sequence: number;
  /** Indexes of announced items by id, and open items by index. */
  readonly indexes: Map<string, unknown>;
  readonly open: Map<unknown, OpenItem>;
  last: OpenItem | undefined;
  readonly done: Set<string>;
  /** Ids of calls whose text was sent. */
  readonly called: Set<string>;
  /** Completed items as the client got them, with their indexes. */
  readonly items: { readonly index: unknown; readonly item: Fields }[];
}

interface OpenItem {
  readonly id: string;
  readonly type: unknown;
}

function begin(event: Fields, state: StreamState, out: Frame[]): void {
  const { id, ...body } = fieldsOf(event.response);
  state.responseId = typeof id === 'string' ? id : state.options.responseId;
  if (event.type === CREATED) return;
  const response = { ...begunResponse(state), ...(event.type === IN_PROGRESS && body) };
  insert(CREATED, { response }, { event, state, out });
}

const CREATED = 'response.created';
const IN_PROGRESS = 'response.in_progress';

function begunResponse({ responseId, options }: StreamState): Fields {
  return responseObject(responseId, WORKING, options.encoding);
}

type Step = (event: Fields, state: StreamState, out: Frame[]) => Fields;

const created: Step = (event, state, out) => {
  const { created_at, model } = fieldsOf(event.response);
  if (typeof created_at === 'number' && typeof model === 'string') return announced(event, state, out);
  return { ...event, response: { ...begunResponse(state), ...fieldsOf(event.response), id: state.responseId } };
};

/** Keeps one id for the response. Some servers send another one with each event. */
const announced: Step = (event, state) => {
  const { responseId: id } = state;
  const response = fieldsOf(event.response);
  return response.id === id ? event : { ...event, response: { ...response, id } };
};

const itemAdded: Step = (event, state) => {
  const item = fieldsOf(event.item);
  const id = newId(item, state);
  const index = event.output_index ?? state.indexes.size;
  state.indexes.set(id, index);
  state.last = { id, type: item.type };
  state.open.set(index, state.last);
  return item.id === id && index === event.output_index
    ? event
    : { ...event, output_index: index, item: { ...item, id } };
};

const itemDone: Step = (event, state, out) => {
  const item = fieldsOf(event.item);
  const known = openId(item.id, event.output_index, state, item.type);
  if (known === undefined) {
    const added = itemAdded(
      { ...event, item: { ...item, ...BEGINNINGS[String(item.type)], status: WORKING } },
      state,
      out,
    );
    insert('response.output_item.added', { output_index: added.output_index, item: added.item }, { event, state, out });
  }
  const id = known ?? state.last?.id ?? '';
  const index = state.indexes.get(id);
  const whole = item.id === id ? item : { ...item, id };
  state.namesItems ||= whole !== item;
  const call = CALL_EVENTS[String(item.type)];
  if (call !== undefined && item.status !== 'incomplete') {
    const place = { item_id: id, output_index: index };
    if (sendCall(call, item[call.text], place, { event, state, out })) {
      insert(`${call.events}.done`, { ...place, [call.text]: item[call.text] }, { event, state, out });
    }
  }
  state.open.delete(index);
  state.done.add(id);
  state.items.push({ index, item: whole });
  return whole === item && event.output_index === index ? event : { ...event, output_index: index, item: whole };
};

/**
 * Returns the id of the open item that an event concerns; undefined if there is none. Some servers send another id with
 * each event of an item, or the same id for two items: then the index decides, or without one the latest item.
 */
function openId(id: unknown, index: unknown, state: StreamState, type?: unknown): string | undefined {
  if (typeof id === 'string' && state.indexes.has(id) && !state.done.has(id)) return id;
  const open = index === undefined ? (wordOf(id) === undefined ? state.last : undefined) : state.open.get(index);
  if (open === undefined || state.done.has(open.id)) return undefined;
  return type === undefined || open.type === type ? open.id : undefined;
}

/** Names of the events and of the field with the text of a call. */
interface CallEvents {
  readonly events: string;
  readonly text: 'arguments' | 'input';
}

const CALL_EVENTS: Readonly<Record<string, CallEvents>> = {
  function_call: { events: 'response.function_call_arguments', text: 'arguments' },
  custom_tool_call: { events: 'response.custom_tool_call_input', text: 'input' },
};

/** Sends the text of a call of which no piece has come. Many clients read only the pieces. Reports whether it did. */
function sendCall({ events }: CallEvents, text: unknown, place: CallPlace, inserting: Inserting): boolean {
  const { called } = inserting.state;
  if (typeof text !== 'string' || text === '' || called.has(place.item_id)) return false;
  called.add(place.item_id);
  insert(`${events}.delta`, { ...place, delta: text }, inserting);
  return true;
}

interface CallPlace {
  readonly item_id: string;
  readonly output_index: unknown;
}

const WORKING = 'in_progress';
const BEGINNINGS: Readonly<Record<string, object>> = {
  message: { content: [] },
  reasoning: { summary: [] },
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
};

function newId(item: Fields, state: StreamState): string {
  const given = wordOf(item.id);
  if (given !== undefined && !state.done.has(given)) return given;
  state.namesItems = true;
  return freshId((wordOf(item.type) ?? 'item') as Item['type'], state.indexes);
}

type Place = 'content_index' | 'summary_index';

/** Returns a step that adds missing ids and indexes to an event about a part of an item. */
function piece(place?: Place): Step {
  return (event, state) => {
    const { item_id, output_index } = event;
    const isPlaced = output_index !== undefined && (place === undefined || event[place] !== undefined);
    if (isPlaced && item_id === state.last?.id) return event;
    const id = openId(item_id, output_index, state) ?? item_id;
    if (typeof id !== 'string' || (isPlaced && id === item_id)) return event;
    const at = { item_id: id, output_index: output_index ?? state.indexes.get(id) };
    return { ...event, ...at, ...(place !== undefined && { [place]: event[place] ?? 0 }) };
  };
}

const TEXT_DELTA = 'response.output_text.delta';
const textDelta = piece('content_index');

/** Returns the steps of the events about the text of a call. */
function callSteps(call: CallEvents): readonly (readonly [string, Step])[] {
  const placed = piece();
  const delta: Step = (event, state, out) => {
    const next = placed(event, state, out);
    if (typeof next.item_id === 'string' && next.delta !== '') state.called.add(next.item_id);
    return next;
  };
  const done: Step = (event, state, out) => {
    const next = placed(event, state, out);
    const { item_id, output_index } = next;
    if (typeof item_id === 'string') sendCall(call, next[call.text], { item_id, output_index }, { event, state, out });
    return next;
  };
  return [
    [`${call.events}.delta`, delta],
    [`${call.events}.done`, done],
  ];
}

/**
 * Returns a step that lists the completed items at the end. Some servers list none there, or list calls that were cut
 * off as complete.
 */
function ended(trustsList: boolean): Step {
  return (event, state, out) => {
    const next = announced(event, state, out);
    const response = fieldsOf(next.response);
    const { output } = response;
    const isListed = Array.isArray(output) && output.length > 0 && trustsList && !state.namesItems;
    return isListed || state.items.length === 0 ? next : { ...next, response: { ...response, output: listed(state) } };
  };
}

/** Returns the completed items, sorted by index. */
function listed({ items }: StreamState): readonly Fields[] {
  return items.toSorted((a, b) => Number(a.index) - Number(b.index)).map(({ item }) => item);
}

const STEPS: ReadonlyMap<unknown, Step> = new Map<unknown, Step>([
  [CREATED, created],
  [IN_PROGRESS, announced],
  ['response.output_item.added', itemAdded],
  ['response.output_item.done', itemDone],
  ...pieces('response.content_part', ['added', 'done'], 'content_index'),
  ...pieces('response.output_text', ['delta', 'done'], 'content_index'),
  ...pieces('response.refusal', ['delta', 'done'], 'content_index'),
  ...pieces('response.reasoning_text', ['delta', 'done'], 'content_index'),
  ...pieces('response.reasoning_summary_part', ['added', 'done'], 'summary_index'),
  ...pieces('response.reasoning_summary_text', ['delta', 'done'], 'summary_index'),
  ...Object.values(CALL_EVENTS).flatMap(callSteps),
  ['response.completed', ended(true)],
  ['response.incomplete', ended(false)],
  ['response.failed', announced],
]);

function pieces(name: string, ends: readonly string[], place?: Place): readonly (readonly [string, Step])[] {
  return ends.map((end) => [`${name}.${end}`, piece(place)]);
}

/** Sends an event that the server left out, before the event that needs it. */
function insert(type: string, fields: Fields, { event, state, out }: Inserting): void {
  const isNumbered = typeof event.sequence_number === 'number';
  if (isNumbered) state.sequence++;
  out.push(madeFrame({ type, ...(isNumbered && { sequence_number: state.sequence }), ...fields }, type));
}

interface Inserting {
  readonly event: Fields;
  readonly state: StreamState;
  readonly out: Frame[];
}

function numbered(event: Fields, state: StreamState): Fields {
  const { sequence_number: number } = event;
  if (typeof number !== 'number') return event;
  state.sequence = Math.max(number, state.sequence + 1);
  return state.sequence === number ? event : { ...event, sequence_number: state.sequence };
}
