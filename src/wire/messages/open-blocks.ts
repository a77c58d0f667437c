import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import {
  continueCall,
  finishCall,
  type GrowingCall,
  type OpenItemsOptions,
  openCall,
} from '../lowering/growing-call.ts';
import { callId, itemId, type OwnType } from '../lowering/own-ids.ts';
import { parsedJson } from '../lowering/parsed-json.ts';
import { serverReasoning } from './reasoning-blocks.ts';

/** The blocks of a message that are still growing. Changes of their items are reported to `emit`. */
export interface OpenBlocks {
  start(index: unknown, block: Fields): void;
  continue(index: unknown, delta: Fields): void;
  stop(index: unknown): void;
  /** Continues the text of the answer. */
  addText(delta: string): void;
  /** Completes the open items. Returns the number of calls that stay incomplete because they have no name. */
  close(calls: 'complete' | 'drop'): number;
}

type OpenItem =
  | { readonly kind: 'message'; readonly id: string; text: string }
  | { readonly kind: 'reasoning'; readonly id: string; text: string; signature: string; readonly redacted?: string }
  | { readonly kind: 'call'; readonly call: GrowingCall; readonly given: unknown; stopped: boolean }
  | { readonly kind: 'search'; readonly id: string; readonly callId: unknown; readonly given: unknown; input: string };

/**
 * Creates the blocks of one message, none of them open. Text blocks in a row are one message. A call is complete when
 * another block follows it, or at the end: a limit may have cut off the last block although the server closed it.
 */
export function createOpenBlocks(options: OpenItemsOptions): OpenBlocks {
  const blocks: Blocks = { options, count: 0, open: [], byIndex: new Map(), message: undefined };
  return {
    start(index, block) {
      finish(blocks, (item) => item.kind === 'call' && item.stopped);
      const begin = BEGINNINGS.get(block.type) ?? (typeof block.tool_use_id === 'string' ? endSearch : undefined);
      // A block that follows another must not continue it, even if its own kind is unknown.
      if (block.type !== 'text') finishMessage(blocks);
      blocks.byIndex.set(index, begin?.(block, blocks));
      if (block.type === 'text') addText(textOf(block.text), blocks);
    },
    continue: (index, delta) => PIECES.get(delta.type)?.(delta, index, blocks),
    stop(index) {
      const item = blocks.byIndex.get(index);
      if (item?.kind === 'reasoning') finish(blocks, (one) => one === item);
      else if (item?.kind === 'call') item.stopped = true;
    },
    addText: (delta) => addText(delta, blocks),
    close(calls) {
      const nameless = blocks.open.filter((item) => item.kind === 'call' && item.call.name === '').length;
      if (calls === 'drop') blocks.open = blocks.open.filter(({ kind }) => kind !== 'call');
      finish(blocks, () => true);
      return calls === 'drop' ? 0 : nameless;
    },
  };
}

interface Blocks {
  readonly options: OpenItemsOptions;
  /** Number of items that began. Positions are counted over all items, so that no two items share an id. */
  count: number;
  /** Items that are not complete, in order. */
  open: OpenItem[];
  /** Items by the index of their block. */
  readonly byIndex: Map<unknown, OpenItem | undefined>;
  message: Extract<OpenItem, { kind: 'message' }> | undefined;
}

const BEGINNINGS: ReadonlyMap<unknown, (block: Fields, blocks: Blocks) => OpenItem | undefined> = new Map([
  ['thinking', beginThinking],
  ['redacted_thinking', beginThinking],
  ['tool_use', beginCall],
  ['server_tool_use', beginSearch],
]);

const PIECES: ReadonlyMap<unknown, (delta: Fields, index: unknown, blocks: Blocks) => void> = new Map([
  ['text_delta', ({ text }, _index, blocks) => addText(textOf(text), blocks)],
  ['thinking_delta', ({ thinking }, index, blocks) => addThought(textOf(thinking), index, blocks)],
  [
    'signature_delta',
    ({ signature }, index, blocks) => {
      const item = blocks.byIndex.get(index);
      if (item?.kind === 'reasoning') item.signature = textOf(signature);
    },
  ],
  ['input_json_delta', ({ partial_json }, index, blocks) => addInput(textOf(partial_json), index, blocks)],
] satisfies [string, (delta: Fields, index: unknown, blocks: Blocks) => void][]);

function start(type: OwnType, blocks: Blocks): string {
  const { key, emit } = blocks.options;
  const id = itemId(type, key(), blocks.count++);
  emit({ type: 'item.started', item: { type, id } });
  return id;
}

function addText(delta: string, blocks: Blocks): void {
  if (delta === '') return;
  if (blocks.message === undefined) {
    blocks.message = { kind: 'message', id: start('message', blocks), text: '' };
    blocks.open.push(blocks.message);
  }
  blocks.message.text += delta;
  blocks.options.emit({ type: 'text.delta', itemId: blocks.message.id, delta });
}

function finishMessage(blocks: Blocks): void {
  const { message } = blocks;
  if (message !== undefined) finish(blocks, (item) => item === message);
}

function beginThinking({ thinking, signature, data }: Fields, blocks: Blocks): OpenItem {
  const sealed = { signature: textOf(signature), ...(typeof data === 'string' && { redacted: data }) };
  const item = { kind: 'reasoning', id: start('reasoning', blocks), text: '', ...sealed } as const satisfies OpenItem;
  blocks.open.push(item);
  addThoughtTo(item, textOf(thinking), blocks);
  return item;
}

/** Continues reasoning, which begins with its first piece where its server did not announce it. */
function addThought(delta: string, index: unknown, blocks: Blocks): void {
  if (!blocks.byIndex.has(index)) blocks.byIndex.set(index, beginThinking({}, blocks));
  const item = blocks.byIndex.get(index);
  if (item?.kind === 'reasoning' && blocks.open.includes(item)) addThoughtTo(item, delta, blocks);
}

function addThoughtTo(item: Extract<OpenItem, { kind: 'reasoning' }>, delta: string, { options }: Blocks): void {
  if (delta === '') return;
  item.text += delta;
  options.emit({ type: 'reasoning.delta', itemId: item.id, kind: 'raw', delta });
}

function beginCall({ id, name, input }: Fields, blocks: Blocks): OpenItem {
  const call = openCall(blocks.count++);
  const item: OpenItem = { kind: 'call', call, given: input, stopped: false };
  blocks.open.push(item);
  continueCall(call, { id: textOf(id), name: textOf(name), kind: 'function', input: '' }, blocks.options);
  return item;
}

/** Begins a search or the visit of a page. Other tools that the server runs have no item. */
function beginSearch({ id, name, input }: Fields, blocks: Blocks): OpenItem | undefined {
  if (name !== 'web_search' && name !== 'web_fetch') return undefined;
  const item: OpenItem = {
    kind: 'search',
    id: start('web_search_call', blocks),
    callId: id,
    given: input,
    input: '',
  };
  blocks.open.push(item);
  return item;
}

function endSearch({ tool_use_id }: Fields, blocks: Blocks): undefined {
  finish(blocks, (item) => item.kind === 'search' && item.callId === tool_use_id);
}

function addInput(delta: string, index: unknown, blocks: Blocks): void {
  // A call that was not announced has no name, and makes the response fail.
  if (!blocks.byIndex.has(index)) blocks.byIndex.set(index, beginCall({}, blocks));
  const item = blocks.byIndex.get(index);
  if (item?.kind === 'search') item.input += delta;
  else if (item?.kind === 'call') continueCall(item.call, { ...NO_PIECE, input: delta }, blocks.options);
}

const NO_PIECE = { id: '', name: '', kind: 'function', input: '' } as const;

/** Completes some of the open items, in order. */
function finish(blocks: Blocks, isMeant: (item: OpenItem) => boolean): void {
  const meant = blocks.open.filter(isMeant);
  if (meant.length === 0) return;
  blocks.open = blocks.open.filter((item) => !meant.includes(item));
  for (const item of meant) {
    if (item.kind === 'call') completeCall(item.call, item.given, blocks.options);
    else blocks.options.emit({ type: 'item.done', item: doneItem(item) });
    if (item === blocks.message) blocks.message = undefined;
  }
}

/** Completes a call. A server may have sent its input with its beginning, or no input for a tool without parameters. */
function completeCall(call: GrowingCall, given: unknown, options: OpenItemsOptions): void {
  if (call.name === '') return;
  call.callId ||= callId(options.key(), call.place, call.name);
  if (call.input.trim() === '') {
    const input = isRecord(given) ? JSON.stringify(given) : '{}';
    continueCall(call, { ...NO_PIECE, input }, options);
  }
  finishCall(call, options);
}

function doneItem(item: Exclude<OpenItem, { kind: 'call' }>): Item {
  switch (item.kind) {
    case 'message':
      return {
        type: 'message',
        id: item.id,
        role: 'assistant',
        content: [{ type: 'output_text', text: item.text }],
      };
    case 'reasoning': {
      const { id, text, signature, redacted } = item;
      const { type, ...rest } = serverReasoning(text, redacted === undefined ? { signature } : { redacted });
      return { type, id, ...rest };
    }
    case 'search':
      return { type: 'web_search_call', id: item.id, status: 'completed', action: searchAction(item) };
  }
}

function searchAction({ given, input }: Extract<OpenItem, { kind: 'search' }>): Fields {
  const written = parsedJson(input) ?? given;
  const { query, url }: Fields = isRecord(written) ? written : {};
  const page = wordOf(url);
  return page === undefined ? { type: 'search', query: textOf(query) } : { type: 'open_page', url: page };
}

/** Returns a text; empty for any other value, which means the same on this wire. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
