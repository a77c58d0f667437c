import type { Item } from '../../base/item.ts';
import type { Frame } from '../../base/wire.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { madeFrame } from '../framing/frames.ts';
import { freshId } from './fresh-id.ts';

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
  /** Last sequence number sent; -1 if the server sends none. */
  readonly sequence: number;
}

/** Creates the events of one response. `responseId` is used if the server sends no id at the beginning. */
export function createStrictEvents(responseId: string): StrictEvents {
  const state: StreamState = {
    responseId,
    begun: false,
    namesResponse: false,
    namesItems: false,
    sequence: -1,
    indexes: new Map(),
    open: new Map(),
    last: undefined,
    done: new Set(),
    items: [],
  };
  return {
    get sequence() {
      return state.sequence;
    },
    next(event, frame, out) {
      if (!state.begun) begin(event, state, out);
      // Fast path: nearly all events have this type, and comparing its long name is cheaper than looking it up.
      const step = event.type === TEXT_DELTA ? textDelta : STEPS.get(event.type);
      const next = numbered(step === undefined ? event : step(event, state, out), state);
      return next === event ? frame : madeFrame(next, frame.event);
    },
  };
}

interface StreamState {
  readonly responseId: string;
  begun: boolean;
  /** Whether the response, or an item, has an id that its server did not send. */
  namesResponse: boolean;
  namesItems: boolean;
  sequence: number;
  /** Indexes of announced items by id, and ids of open items by index. */
  readonly indexes: Map<string, unknown>;
  readonly open: Map<unknown, string>;
  last: string | undefined;
  readonly done: Set<string>;
  /** Completed items as the client got them, with their indexes. */
  readonly items: { readonly index: unknown; readonly item: Fields }[];
}

function begin(event: Fields, state: StreamState, out: Frame[]): void {
  state.begun = true;
  const { id, ...body } = fieldsOf(event.response);
  state.namesResponse = typeof id !== 'string';
  if (event.type === 'response.created') return;
  const response = { ...(event.type === IN_PROGRESS && body), id: state.namesResponse ? state.responseId : id };
  const about = { object: 'response', status: 'in_progress', output: [], ...response };
  insert('response.created', { response: about }, { event, state, out });
}

const IN_PROGRESS = 'response.in_progress';

type Step = (event: Fields, state: StreamState, out: Frame[]) => Fields;

const announced: Step = (event, state) => {
  if (!state.namesResponse) return event;
  return { ...event, response: { ...fieldsOf(event.response), id: state.responseId } };
};

const itemAdded: Step = (event, state) => {
  const item = fieldsOf(event.item);
  const id = newId(item, state);
  const index = event.output_index ?? state.indexes.size;
  state.indexes.set(id, index);
  state.open.set(index, id);
  state.last = id;
  return item.id === id && index === event.output_index
    ? event
    : { ...event, output_index: index, item: { ...item, id } };
};

const itemDone: Step = (event, state, out) => {
  const item = fieldsOf(event.item);
  const known = wordOf(item.id) ?? openAt(event.output_index, state);
  const isOpen = known !== undefined && state.indexes.has(known) && !state.done.has(known);
  if (!isOpen) {
    const added = itemAdded(
      { ...event, item: { ...item, ...BEGINNINGS[String(item.type)], status: WORKING } },
      state,
      out,
    );
    insert('response.output_item.added', { output_index: added.output_index, item: added.item }, { event, state, out });
  }
  const id = isOpen ? known : (state.last ?? '');
  const index = state.indexes.get(id);
  const whole = item.id === id ? item : { ...item, id };
  state.open.delete(index);
  state.done.add(id);
  state.items.push({ index, item: whole });
  return whole === item && event.output_index === index ? event : { ...event, output_index: index, item: whole };
};

/** Returns the open item at an index; without an index, the latest item. */
function openAt(index: unknown, state: StreamState): string | undefined {
  return index === undefined ? state.last : state.open.get(index);
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
    const isPlaced = place === undefined || event[place] !== undefined;
    if (item_id !== undefined && output_index !== undefined && isPlaced) return event;
    const id = item_id ?? openAt(output_index, state);
    if (typeof id !== 'string') return event;
    const at = { item_id: id, output_index: output_index ?? state.indexes.get(id) };
    return { ...event, ...at, ...(place !== undefined && { [place]: event[place] ?? 0 }) };
  };
}

const TEXT_DELTA = 'response.output_text.delta';
const textDelta = piece('content_index');

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
  ['response.created', announced],
  [IN_PROGRESS, announced],
  ['response.output_item.added', itemAdded],
  ['response.output_item.done', itemDone],
  ...pieces('response.content_part', ['added', 'done'], 'content_index'),
  ...pieces('response.output_text', ['delta', 'done'], 'content_index'),
  ...pieces('response.refusal', ['delta', 'done'], 'content_index'),
  ...pieces('response.reasoning_text', ['delta', 'done'], 'content_index'),
  ...pieces('response.reasoning_summary_part', ['added', 'done'], 'summary_index'),
  ...pieces('response.reasoning_summary_text', ['delta', 'done'], 'summary_index'),
  ...pieces('response.function_call_arguments', ['delta', 'done']),
  ...pieces('response.custom_tool_call_input', ['delta', 'done']),
  ['response.completed', ended(true)],
  ['response.incomplete', ended(false)],
  ['response.failed', announced],
]);

function pieces(name: string, ends: readonly string[], place?: Place): readonly (readonly [string, Step])[] {
  return ends.map((end) => [`${name}.${end}`, piece(place)]);
}

/** Sends an event that the server left out, before the event that needs it. */
function insert(
  type: string,
  fields: Fields,
  { event, state, out }: { readonly event: Fields; readonly state: StreamState; readonly out: Frame[] },
): void {
  const isNumbered = typeof event.sequence_number === 'number';
  if (isNumbered) state.sequence++;
  out.push(madeFrame({ type, ...(isNumbered && { sequence_number: state.sequence }), ...fields }, type));
}

function numbered(event: Fields, state: StreamState): Fields {
  const { sequence_number: number } = event;
  if (typeof number !== 'number') return event;
  state.sequence = Math.max(number, state.sequence + 1);
  return state.sequence === number ? event : { ...event, sequence_number: state.sequence };
}
