import type { CustomToolCallItem, FunctionCallItem, Item } from '../../base/item.ts';
import type { ModelEvent, StartedItem } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { failureCode } from '../edge/failure-code.ts';
import { sealReasoning } from '../opaque/seal-reasoning.ts';
import { freshId } from './fresh-id.ts';
import {
  beginItem,
  beginSection,
  closeItem,
  closeParts,
  continueItem,
  type DoneItem,
  type LiveItem,
} from './item-events.ts';
import type { Emit, PartKind } from './part-events.ts';
import { responseObject, responseText } from './response-object.ts';
import { writeUsage } from './usage-fields.ts';

/** Writer of the events of one response. */
export interface ResponseWriter {
  /** Emits the frames for an event; none after the end. */
  write(event: ModelEvent): void;
}

/** Creates a writer. It emits every frame that a real server sends, even if events are missing. */
export function createResponseWriter(options: EncodeStreamOptions, emit: Emit): ResponseWriter {
  const byId = new Map<string, LiveItem>();
  const response: OpenResponse = { options, emit, id: undefined, items: [], byId, held: undefined, finished: false };
  return {
    write(event) {
      if (response.finished) return;
      begin(event, response);
      closeMessage(event, response);
      const shown = options.sealReasoning ? sealReasoning(event) : event;
      (STEPS[shown.type] as Step<ModelEvent>)(shown, response);
    },
  };
}

interface OpenResponse {
  readonly options: EncodeStreamOptions;
  readonly emit: Emit;
  id: string | undefined;
  /** Items by output index. */
  readonly items: LiveItem[];
  readonly byId: Map<string, LiveItem>;
  /** A message whose parts are closed. It is whole, unless the response ends with it and says that it was cut off. */
  held: { readonly live: LiveItem; readonly item: Item } | undefined;
  finished: boolean;
}

type Step<E> = (event: E, response: OpenResponse) => void;

const TEXT = ['message', 'output_text'] as const;
const REFUSAL = ['message', 'refusal'] as const;

const STEPS: { readonly [T in ModelEvent['type']]: Step<Extract<ModelEvent, { type: T }>> } = {
  created: () => {},
  'item.started': (event, response) => void addItem(event.item, response),
  'text.delta': (event, response) => addText(event, event.refusal ? REFUSAL : TEXT, response),
  'reasoning.delta': (event, response) => addText(event, ['reasoning', event.kind], response),
  'reasoning.section': (event, response) => {
    const live = liveItem(event.itemId, 'reasoning', response);
    if (live) beginSection(live, response.emit);
  },
  'input.delta': (event, response) => {
    // A call that was not announced has no name yet. Its text is sent when it is complete.
    const type = response.byId.get(event.itemId)?.started.type;
    if (type === 'function_call') addText(event, [type, 'arguments'], response);
    if (type === 'custom_tool_call') addText(event, [type, 'input'], response);
  },
  'item.done': (event, response) => {
    const live = openItemFor(event.item, response) ?? addItem(startedFor(event.item, response), response);
    closeParts(live, event.item, response.emit);
    if (event.item.type === 'message') response.held = { live, item: event.item };
    else closeItem(live, event.item, 'completed', response.emit);
  },
  completed: ({ usage, endTurn }, response) => {
    const sent = writeUsage(usage);
    finish('completed', endTurn === null ? { usage: sent } : { usage: sent, end_turn: endTurn }, response);
  },
  incomplete: ({ usage, reason }, response) =>
    finish('incomplete', { usage: writeUsage(usage), incomplete_details: { reason } }, response),
  failed: ({ code, message }, response) =>
    finish('failed', { error: { code: failureCode(code, message), message } }, response),
};

/** Sends the creation of the response before anything else. */
function begin(event: ModelEvent, response: OpenResponse): void {
  if (response.id !== undefined) return;
  response.id = 'responseId' in event ? event.responseId : `resp_${response.options.createdAt}`;
  const begun = responseObject(response.id, 'in_progress', response.options);
  let text: string | undefined;
  const fields = () => (text ??= `"response":${JSON.stringify(begun)}`);
  response.emit('response.created', fields, () => begun);
  response.emit('response.in_progress', fields);
}

/** Closes the message before an event. It was cut off if the response ends here without being complete. */
function closeMessage({ type }: ModelEvent, response: OpenResponse): void {
  if (response.held === undefined) return;
  const { live, item } = response.held;
  response.held = undefined;
  closeItem(live, item, type === 'incomplete' ? type : 'completed', response.emit);
}

function addText(
  event: { readonly itemId: string; readonly delta: string },
  [type, kind]: readonly [Item['type'], PartKind],
  response: OpenResponse,
): void {
  const live = liveItem(event.itemId, type, response);
  if (live) continueItem(live, { kind, text: event.delta }, response.emit);
}

/**
 * Returns the item of a delta, and announces it if necessary. Undefined if the item has another type or is complete.
 */
function liveItem(id: string, type: Item['type'], response: OpenResponse): LiveItem | undefined {
  const live = response.byId.get(id) ?? addItem({ type, id }, response);
  return live.started.type === type && live.done === undefined ? live : undefined;
}

function addItem(started: StartedItem, response: OpenResponse): LiveItem {
  const live = beginItem(started, response.items.length, response.emit);
  response.items.push(live);
  response.byId.set(started.id, live);
  return live;
}

function openItemFor(item: Item, response: OpenResponse): LiveItem | undefined {
  const open = response.items.filter((live) => live.done === undefined && live.started.type === item.type);
  if (typeof item.id === 'string') return open.find((live) => live.started.id === item.id);
  const callId = 'call_id' in item ? item.call_id : undefined;
  return open.find(({ started }) => started.callId === undefined || started.callId === callId);
}

function startedFor(item: Item, response: OpenResponse): StartedItem {
  const id = typeof item.id === 'string' ? item.id : freshId(item.type, response.byId);
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return { type: item.type, id, ...calledName(item), callId: item.call_id };
    case 'local_shell_call':
      return { type: item.type, id, callId: item.call_id };
    default:
      return { type: item.type, id };
  }
}

function calledName({
  name,
  namespace,
}: FunctionCallItem | CustomToolCallItem): Pick<StartedItem, 'name' | 'namespace'> {
  return { name, ...(namespace !== undefined && { namespace }) };
}

type Status = 'completed' | 'incomplete' | 'failed';

function finish(status: Status, fields: object, response: OpenResponse): void {
  response.finished = true;
  const output: DoneItem[] = [];
  for (const { done } of response.items) if (done !== undefined) output.push(done);
  const empty = Object.assign(responseObject(response.id, status, response.options), fields);
  const items = () => output.map((done) => done.text()).join(',');
  response.emit(
    `response.${status}`,
    () => `"response":${responseText(empty, items())}`,
    () => Object.assign(empty, { output: output.map(({ item }) => item) }),
  );
}
