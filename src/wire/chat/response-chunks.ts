import { type CallItem, type Item, isCall, type MessageItem, type ReasoningItem } from '../../base/item.ts';
import type { ModelEvent, StartedItem } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { flatName } from '../lowering/flat-name.ts';
import { toFunctionForm } from '../lowering/function-form.ts';
import { textParts } from './content-parts.ts';
import { END_MARK } from './end-mark.ts';
import { writeUsage } from './usage-fields.ts';

/** The chunks of one response. */
export interface ResponseChunks {
  /** Returns the chunks for an event; none after the end. */
  push(event: ModelEvent): readonly ChatChunk[];
}

/** A chunk, an error report or the end mark. */
export type ChatChunk = Fields | typeof END_MARK;

/**
 * Creates the chunks of one response. The wire has one text, one reasoning and a list of calls, so several messages
 * become one, with a blank line between them. Items of tools that the server ran are left out.
 */
export function createResponseChunks(options: EncodeStreamOptions): ResponseChunks {
  const response: OpenResponse = { options, chunks: [], id: undefined, items: new Map(), calls: 0, over: false };
  return {
    push(event) {
      if (response.over) return [];
      response.chunks = [];
      begin(event, response);
      (STEPS[event.type] as Step<ModelEvent>)(event, response);
      return response.chunks;
    },
  };
}

interface OpenResponse {
  readonly options: EncodeStreamOptions;
  /** Chunks for the current event. */
  chunks: ChatChunk[];
  id: string | undefined;
  readonly items: Map<string, LiveItem>;
  /** Number of calls announced. */
  calls: number;
  over: boolean;
}

/** State of an item that is being sent. */
interface LiveItem {
  readonly kind: TextKind | 'function' | 'custom';
  /** Number of a call; -1 for other items. */
  readonly index: number;
  /** The text of a reasoning item that is sent. The other text says the same in other words. */
  readonly source: 'summary' | 'raw' | undefined;
  sent: string;
  /** Text before the next piece. */
  gap: string;
}

type TextKind = 'content' | 'refusal' | 'reasoning_content';
type Step<E> = (event: E, response: OpenResponse) => void;

const STEPS: { readonly [T in ModelEvent['type']]: Step<Extract<ModelEvent, { type: T }>> } = {
  created: () => {},
  'item.started': ({ item }, response) => announce(item, response),
  'text.delta': ({ itemId, delta, refusal }, response) =>
    send(refusal ? liveRefusal(itemId, response) : liveText(itemId, 'content', response), delta, response),
  'reasoning.delta': ({ itemId, kind, delta }, response) => {
    const live = liveText(itemId, 'reasoning_content', response, kind);
    if (live.source === kind) send(live, delta, response);
  },
  'reasoning.section': ({ itemId }, response) => {
    const live = liveText(itemId, 'reasoning_content', response, 'summary');
    if (live.source === 'summary' && live.sent !== '') live.gap = BLANK_LINE;
  },
  'input.delta': ({ itemId, delta }, response) => {
    // A call that was not announced has no name yet. Its text is sent when it is complete.
    const live = response.items.get(itemId);
    if (live?.kind === 'function' || live?.kind === 'custom') send(live, delta, response);
  },
  'item.done': ({ item }, response) => finishItem(item, response),
  completed: ({ usage }, response) => finish(response.calls > 0 ? 'tool_calls' : 'stop', usage, response),
  incomplete: ({ reason, usage }, response) =>
    finish(reason === 'content_filter' ? 'content_filter' : 'length', usage, response),
  failed: ({ code, message }, response) => {
    response.over = true;
    response.chunks.push({ error: { message, type: code ?? 'server_error', code, param: null } });
  },
};

const BLANK_LINE = '\n\n';

/** Sends the role before anything else, unless the first event is a failure. */
function begin(event: ModelEvent, response: OpenResponse): void {
  if (response.id !== undefined || event.type === 'failed') return;
  response.id = 'responseId' in event ? event.responseId : `chatcmpl-${response.options.createdAt}`;
  emitDelta({ role: 'assistant', content: '' }, response);
}

/** Returns the item of a text; created by its first piece. */
function liveText(id: string, kind: TextKind, response: OpenResponse, source?: 'summary' | 'raw'): LiveItem {
  const known = response.items.get(id);
  if (known !== undefined) return known;
  const follows = [...response.items.values()].some((live) => live.kind === kind && live.sent !== '');
  const live: LiveItem = { kind, index: -1, source, sent: '', gap: follows ? BLANK_LINE : '' };
  response.items.set(id, live);
  return live;
}

function liveRefusal(id: string, response: OpenResponse): LiveItem {
  return liveText(`refusal of ${id}`, 'refusal', response);
}

function send(live: LiveItem, piece: string, response: OpenResponse): void {
  if (piece === '') return;
  const inside = live.sent === '' ? '' : live.gap;
  const delta = live.gap + piece;
  live.sent += inside + piece;
  live.gap = '';
  if (live.kind === 'function' || live.kind === 'custom') {
    emitDelta({ tool_calls: [{ index: live.index, ...callForm(live.kind, { text: delta }) }] }, response);
  } else emitDelta({ [live.kind]: delta }, response);
}

/** Announces a call once its name and its id are known. */
function announce({ type, id, name, namespace, callId }: StartedItem, response: OpenResponse): void {
  if (!name || !callId || response.items.has(id)) return;
  const head = { name: flatName(namespace, name), callId };
  if (type === 'function_call') openCall(id, { kind: 'function', ...head }, response);
  if (type === 'custom_tool_call') openCall(id, { kind: 'custom', ...head }, response);
}

interface CallHead {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly callId: string;
}

function openCall(id: string, { kind, name, callId }: CallHead, response: OpenResponse): LiveItem {
  const index = response.calls++;
  const live: LiveItem = { kind, index, source: undefined, sent: '', gap: '' };
  response.items.set(id, live);
  emitDelta({ tool_calls: [{ index, id: callId, type: kind, ...callForm(kind, { name, text: '' }) }] }, response);
  return live;
}

function callForm(kind: CallHead['kind'], { name, text }: { readonly name?: string; readonly text: string }): object {
  return kind === 'function' ? { function: { name, arguments: text } } : { custom: { name, input: text } };
}

/** Sends the part of an item that its deltas left out. Deltas that differ from the final text cannot be revoked. */
function finishItem(item: Item, response: OpenResponse): void {
  if (item.type === 'message') finishMessage(item, response);
  else if (item.type === 'reasoning') finishReasoning(item, response);
  else if (isCall(item)) finishCall(item, response);
}

function finishMessage(item: MessageItem, response: OpenResponse): void {
  const key = keyOf(item, response);
  const [texts, refusals] = [false, true].map((is) => item.content.filter(({ type }) => (type === 'refusal') === is));
  sendRest(liveText(key, 'content', response), textParts(texts ?? []).join(''), response);
  sendRest(liveRefusal(key, response), textParts(refusals ?? []).join(''), response);
}

function finishReasoning(item: ReasoningItem, response: OpenResponse): void {
  const raw = (item.content ?? []).map(({ text }) => text).join('');
  const summary = item.summary.map(({ text }) => text).join(BLANK_LINE);
  const live = liveText(keyOf(item, response), 'reasoning_content', response, raw === '' ? 'summary' : 'raw');
  sendRest(live, live.source === 'raw' ? raw : summary, response);
}

function finishCall(item: CallItem, response: OpenResponse): void {
  const key = keyOf(item, response);
  const { name, arguments: args } = toFunctionForm(item);
  const custom = item.type === 'custom_tool_call';
  const input = custom ? item.input : args;
  const head: CallHead = { kind: custom ? 'custom' : 'function', name, callId: item.call_id };
  const live = response.items.get(key) ?? openCall(key, head, response);
  if (input.startsWith(live.sent)) sendRest(live, input, response);
  // The deltas cannot be revoked, and the call must not run with them.
  else STEPS.failed({ type: 'failed', code: 'invalid_response', message: CORRECTED }, response);
}

const CORRECTED =
  'The server corrected the arguments of a call after it had sent others, which this protocol cannot take back. Try again.';

function sendRest(live: LiveItem, whole: string, response: OpenResponse): void {
  live.gap = live.sent === '' ? live.gap : '';
  if (whole.startsWith(live.sent)) send(live, whole.slice(live.sent.length), response);
}

/** Returns the key of an item. An item without an id had no deltas. */
function keyOf(item: Item, response: OpenResponse): string {
  return typeof item.id === 'string' ? item.id : `item ${response.items.size}`;
}

type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';
type Ending = Extract<ModelEvent, { type: 'completed' }>;

function finish(reason: FinishReason, usage: Ending['usage'], response: OpenResponse): void {
  response.over = true;
  emitChunk({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: reason }] }, response);
  const { includeUsage = false } = response.options;
  if (includeUsage && usage !== null) emitChunk({ choices: [], usage: writeUsage(usage) }, response);
  response.chunks.push(END_MARK);
}

function emitDelta(delta: object, response: OpenResponse): void {
  emitChunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] }, response);
}

function emitChunk(fields: object, response: OpenResponse): void {
  const { createdAt: created, model } = response.options;
  response.chunks.push({ id: response.id, object: 'chat.completion.chunk', created, model, ...fields });
}
