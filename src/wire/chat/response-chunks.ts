import { type CallItem, isCall } from '../../base/item.ts';
import type { ModelEvent, StartedItem } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { flatName } from '../lowering/flat-name.ts';
import { toFunctionForm } from '../lowering/function-form.ts';
import { createRunningTexts, type RunningTexts, type TextKind } from '../lowering/running-texts.ts';
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
  const response: OpenResponse = {
    options,
    chunks: [],
    id: undefined,
    texts: createRunningTexts((kind, piece) => emitDelta({ [TEXT_FIELDS[kind]]: piece }, response)),
    calls: new Map(),
    over: false,
  };
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
  readonly texts: RunningTexts;
  /** Calls that were announced, by the ids of their items. */
  readonly calls: Map<string, LiveCall>;
  over: boolean;
}

/** State of a call that is being sent. */
interface LiveCall {
  readonly kind: 'function' | 'custom';
  readonly index: number;
  sent: string;
}

type Step<E> = (event: E, response: OpenResponse) => void;

const STEPS: { readonly [T in ModelEvent['type']]: Step<Extract<ModelEvent, { type: T }>> } = {
  created: () => {},
  'item.started': ({ item }, response) => announce(item, response),
  'text.delta': (event, response) => response.texts.push(event),
  'reasoning.delta': (event, response) => response.texts.push(event),
  'reasoning.section': (event, response) => response.texts.push(event),
  'input.delta': ({ itemId, delta }, response) => {
    // A call that was not announced has no name yet. Its text is sent when it is complete.
    const live = response.calls.get(itemId);
    if (live !== undefined) send(live, delta, response);
  },
  'item.done': (event, response) => {
    if (isCall(event.item)) finishCall(event.item, response);
    else response.texts.push(event);
  },
  completed: ({ usage }, response) => finish(response.calls.size > 0 ? 'tool_calls' : 'stop', usage, response),
  incomplete: ({ reason, usage }, response) =>
    finish(reason === 'content_filter' ? 'content_filter' : 'length', usage, response),
  failed: ({ code, message }, response) => {
    response.over = true;
    response.chunks.push({ error: { message, type: code ?? 'server_error', code, param: null } });
  },
};

/** Fields of a delta, by the kind of text. */
const TEXT_FIELDS: Readonly<Record<TextKind, string>> = {
  text: 'content',
  refusal: 'refusal',
  reasoning: 'reasoning_content',
};

/** Sends the role before anything else, unless the first event is a failure. */
function begin(event: ModelEvent, response: OpenResponse): void {
  if (response.id !== undefined || event.type === 'failed') return;
  response.id = 'responseId' in event ? event.responseId : `chatcmpl-${response.options.createdAt}`;
  emitDelta({ role: 'assistant', content: '' }, response);
}

function send(live: LiveCall, delta: string, response: OpenResponse): void {
  if (delta === '') return;
  live.sent += delta;
  emitDelta({ tool_calls: [{ index: live.index, ...callForm(live.kind, { text: delta }) }] }, response);
}

/** Announces a call once its name and its id are known. */
function announce({ type, id, name, namespace, callId }: StartedItem, response: OpenResponse): void {
  if (!name || !callId || response.calls.has(id)) return;
  const head = { name: flatName(namespace, name), callId };
  if (type === 'function_call') openCall(id, { kind: 'function', ...head }, response);
  if (type === 'custom_tool_call') openCall(id, { kind: 'custom', ...head }, response);
}

interface CallHead {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly callId: string;
}

function openCall(id: string, { kind, name, callId }: CallHead, response: OpenResponse): LiveCall {
  const index = response.calls.size;
  const live: LiveCall = { kind, index, sent: '' };
  response.calls.set(id, live);
  emitDelta({ tool_calls: [{ index, id: callId, type: kind, ...callForm(kind, { name, text: '' }) }] }, response);
  return live;
}

function callForm(kind: CallHead['kind'], { name, text }: { readonly name?: string; readonly text: string }): object {
  return kind === 'function' ? { function: { name, arguments: text } } : { custom: { name, input: text } };
}

function finishCall(item: CallItem, response: OpenResponse): void {
  const key = keyOf(item, response);
  const { name, arguments: args } = toFunctionForm(item);
  const custom = item.type === 'custom_tool_call';
  const input = custom ? item.input : args;
  const head: CallHead = { kind: custom ? 'custom' : 'function', name, callId: item.call_id };
  const live = response.calls.get(key) ?? openCall(key, head, response);
  if (input.startsWith(live.sent)) send(live, input.slice(live.sent.length), response);
  // The deltas cannot be revoked, and the call must not run with them.
  else STEPS.failed({ type: 'failed', code: 'invalid_response', message: CORRECTED }, response);
}

const CORRECTED =
  'The server corrected the arguments of a call after it had sent others, which this protocol cannot take back. Try again.';

/** Returns the key of a call. A call without an id had no deltas. */
function keyOf(item: CallItem, response: OpenResponse): string {
  return typeof item.id === 'string' ? item.id : `item ${response.calls.size}`;
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
