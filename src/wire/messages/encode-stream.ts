import { type CallItem, type Item, isCall, type MessageItem, type ReasoningItem } from '../../base/item.ts';
import type { ModelEvent, StartedItem } from '../../base/model.ts';
import type { EncodeStreamOptions, Frame, StreamEncoder } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { flatName } from '../lowering/flat-name.ts';
import { toFunctionForm } from '../lowering/function-form.ts';
import { failureBody } from './error-body.ts';
import { emptyMessage, spokenText, stopFields } from './message-fields.ts';
import { clientBlock, PLAIN, rawText, summaryText } from './reasoning-blocks.ts';
import { writeUsage } from './usage-fields.ts';

/**
 * Returns an encoder of one response. Blocks are numbered, and each is closed before the next begins, because clients
 * add a piece to the block with its number. Other items wait while a call is open. Items of tools that the server ran
 * are left out.
 */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  const response: OpenResponse = {
    options,
    frames: [],
    begun: false,
    items: new Map(),
    blocks: 0,
    open: undefined,
    waiting: [],
    calls: 0,
    over: false,
  };
  return {
    push(event) {
      if (response.over) return [];
      response.frames = [];
      begin(event, response);
      (STEPS[event.type] as Step<ModelEvent>)(event, response);
      return response.frames;
    },
  };
}

interface OpenResponse {
  readonly options: EncodeStreamOptions;
  /** Frames for the current event. */
  frames: Frame[];
  begun: boolean;
  readonly items: Map<string, LiveItem>;
  /** Number of blocks that began. */
  blocks: number;
  /** Item whose block is open. */
  open: LiveItem | undefined;
  /** Complete items that wait for the open call. */
  waiting: Item[];
  calls: number;
  over: boolean;
}

/** State of an item that is being sent. */
interface LiveItem {
  readonly kind: Kind;
  /** The text of a reasoning item that is sent. The other text says the same in other words. */
  readonly source: 'summary' | 'raw' | undefined;
  sent: string;
  /** Text before the next piece. */
  gap: string;
  /** Whether a piece was left out, so that later ones wait for the whole item too. */
  waits: boolean;
}

type Kind = 'text' | 'thinking' | 'call';
type Step<E> = (event: E, response: OpenResponse) => void;

const STEPS: { readonly [T in ModelEvent['type']]: Step<Extract<ModelEvent, { type: T }>> } = {
  created: () => {},
  'item.started': ({ item }, response) => announce(item, response),
  'text.delta': ({ itemId, delta }, response) => send(liveItem(itemId, 'text', response), delta, response),
  'reasoning.delta': ({ itemId, kind, delta }, response) => {
    const live = liveItem(itemId, 'thinking', response, kind);
    if (live.source === kind) send(live, delta, response);
  },
  'reasoning.section': ({ itemId }, response) => {
    const live = liveItem(itemId, 'thinking', response, 'summary');
    if (live.source === 'summary' && live.sent !== '') live.gap = BLANK_LINE;
  },
  'input.delta': ({ itemId, delta }, response) => {
    // A call that was not announced has no name yet. Its input is sent when it is complete.
    const live = response.items.get(itemId);
    if (live?.kind === 'call') send(live, delta, response);
  },
  'item.done': ({ item }, response) => finishItem(item, response),
  completed: (event, response) => finish(event, response),
  incomplete: (event, response) => finish(event, response),
  failed: ({ code, message }, response) => {
    // Nothing is closed before it: a client must not take a part of the answer for the whole.
    response.over = true;
    emit({ ...failureBody(code, message) }, response);
  },
};

const BLANK_LINE = '\n\n';

/** Sends the empty message before anything else, unless the first event is a failure. */
function begin(event: ModelEvent, response: OpenResponse): void {
  if (response.begun || event.type === 'failed') return;
  response.begun = true;
  const id = 'responseId' in event ? event.responseId : `msg_${response.options.createdAt}`;
  emit({ type: 'message_start', message: emptyMessage(id, response.options.model) }, response);
}

function liveItem(
  id: string,
  kind: 'text' | 'thinking',
  { items }: OpenResponse,
  source?: LiveItem['source'],
): LiveItem {
  const known = items.get(id);
  if (known?.kind === kind) return known;
  const live: LiveItem = { kind, source, sent: '', gap: '', waits: false };
  items.set(id, live);
  return live;
}

/** Sends a piece of an item. While a call is open, pieces of other items are left to the items themselves. */
function send(live: LiveItem, piece: string, response: OpenResponse): void {
  if (piece === '' || live.waits) return;
  if (response.open !== live) {
    if (live.kind === 'call' || response.open?.kind === 'call') {
      live.waits = true;
      return;
    }
    openBlock(live, EMPTY_BLOCKS[live.kind], response);
  }
  const delta = live.gap + piece;
  live.gap = '';
  live.sent += delta;
  emitPiece(PIECES[live.kind], delta, response);
}

const EMPTY_BLOCKS = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

function openBlock(live: LiveItem, content_block: Fields, response: OpenResponse): void {
  closeBlock(response);
  response.open = live;
  emit({ type: 'content_block_start', index: response.blocks++, content_block }, response);
}

/** Closes the open block. Reasoning gets a signature, because clients do not keep it without one. */
function closeBlock(response: OpenResponse, signature = PLAIN): void {
  if (response.open === undefined) return;
  if (response.open.kind === 'thinking') emitPiece(SIGNATURE, signature, response);
  response.open = undefined;
  emit({ type: 'content_block_stop', index: response.blocks - 1 }, response);
}

/** Announces a call once its name and its id are known. A custom call is sent whole, as the arguments of a function. */
function announce({ type, id, name, namespace, callId }: StartedItem, response: OpenResponse): void {
  if (type !== 'function_call' || !name || !callId || response.items.has(id) || response.open?.kind === 'call') return;
  openCall(id, { id: callId, name: flatName(namespace, name) }, response);
}

function openCall(
  itemId: string,
  head: { readonly id: string; readonly name: string },
  response: OpenResponse,
): LiveItem {
  const live: LiveItem = { kind: 'call', source: undefined, sent: '', gap: '', waits: false };
  response.items.set(itemId, live);
  response.calls++;
  // Clients read the input from its pieces alone (I1).
  openBlock(live, { type: 'tool_use', ...head, input: {} }, response);
  return live;
}

/** Sends the part of an item that its pieces left out. Pieces that differ from the final text cannot be revoked. */
function finishItem(item: Item, response: OpenResponse): void {
  // An item without an id had no pieces.
  const key = typeof item.id === 'string' ? item.id : `item ${response.items.size}`;
  const { open } = response;
  if (open?.kind === 'call' && response.items.get(key) !== open) response.waiting.push(item);
  else if (item.type === 'message') finishMessage(item, key, response);
  else if (item.type === 'reasoning') finishReasoning(item, key, response);
  else if (isCall(item)) finishCall(item, key, response);
}

function finishMessage(item: MessageItem, key: string, response: OpenResponse): void {
  const live = liveItem(key, 'text', response);
  sendRest(live, spokenText(item), response);
  if (response.open === live) closeBlock(response);
}

function finishReasoning(item: ReasoningItem, key: string, response: OpenResponse): void {
  const block = clientBlock(item);
  const live = liveItem(key, 'thinking', response, rawText(item) === '' ? 'summary' : 'raw');
  if (block === undefined) return;
  if (block.type === 'redacted_thinking') sendRedacted(block.data, response);
  else {
    if (live.sent === '') openBlock(live, EMPTY_BLOCKS.thinking, response);
    const spoken = live.source === 'raw' ? rawText(item) : summaryText(item);
    sendRest(live, live.sent === '' ? block.thinking : spoken, response);
    if (response.open === live) closeBlock(response, block.signature);
    // The block was closed before the signature was known.
    else if (block.signature !== PLAIN) sendRedacted(block.signature, response);
  }
}

function sendRedacted(data: string, response: OpenResponse): void {
  closeBlock(response);
  const index = response.blocks++;
  emit({ type: 'content_block_start', index, content_block: { type: 'redacted_thinking', data } }, response);
  emit({ type: 'content_block_stop', index }, response);
}

function finishCall(item: CallItem, key: string, response: OpenResponse): void {
  const { name, arguments: args } = toFunctionForm(item);
  const known = response.items.get(key);
  const live = known?.kind === 'call' ? known : openCall(key, { id: item.call_id, name }, response);
  if (!args.startsWith(live.sent)) {
    // The pieces cannot be revoked, and the call must not run with them.
    STEPS.failed({ type: 'failed', code: 'invalid_response', message: CORRECTED }, response);
    return;
  }
  sendRest(live, args, response);
  if (response.open !== live) return;
  closeBlock(response);
  release(response);
}

const CORRECTED =
  'The server corrected the arguments of a call after it had sent others, which this protocol cannot take back. Try again.';

/** Sends the items that waited for a call. */
function release(response: OpenResponse): void {
  const { waiting } = response;
  response.waiting = [];
  for (const item of waiting) if (!response.over) finishItem(item, response);
}

function sendRest(live: LiveItem, whole: string, response: OpenResponse): void {
  if (live.sent !== '') live.gap = '';
  live.waits = false;
  if (whole.startsWith(live.sent)) send(live, whole.slice(live.sent.length), response);
}

function finish(event: Extract<ModelEvent, { type: 'completed' | 'incomplete' }>, response: OpenResponse): void {
  closeBlock(response);
  release(response);
  if (response.over) return;
  response.over = true;
  const delta = stopFields(event, response.calls > 0);
  emit({ type: 'message_delta', delta, usage: writeUsage(event.usage) }, response);
  emit({ type: 'message_stop' }, response);
}

function emit(event: Fields & { readonly type: string }, { frames }: OpenResponse): void {
  frames.push({ event: event.type, data: JSON.stringify(event) });
}

/** A piece of a block: its type, and the name of its text. */
type Piece = readonly [type: string, field: string];

const PIECES: Readonly<Record<Kind, Piece>> = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  call: ['input_json_delta', 'partial_json'],
};
const SIGNATURE: Piece = ['signature_delta', 'signature'];

/** Sends a piece of the open block. Its frame is concatenated, because nearly all frames are of this kind. */
function emitPiece([type, field]: Piece, text: string, { frames, blocks }: OpenResponse): void {
  const head = `{"type":"content_block_delta","index":${blocks - 1},"delta":{"type":"${type}","${field}":`;
  frames.push({ event: 'content_block_delta', data: `${head}${JSON.stringify(text)}}}` });
}
