import { tokensOf } from '../../base/bound-text.ts';
import type { ContextUse } from '../../base/event.ts';
import type { ContentPart, Item } from '../../base/item.ts';
import { itemText } from '../../base/item-text.ts';
import type { ToolSnapshot } from '../../base/tool.ts';
import type { Prompt, Turn, TurnSetup } from '../turn-setup.ts';

/** Bytes that an image counts as, whatever its size, because servers scale images. */
const IMAGE_BYTES = 7373;
/** Bytes that encryption adds to reasoning, besides base64. */
const SEAL_BYTES = 650;

/** The parts of a request that take tokens. */
export interface SizedRequest extends Pick<Turn, 'state' | 'tools'> {
  readonly setup: { readonly prompt: Pick<Prompt, 'instructions'> };
}

/** Returns the part of a window that the next request takes. */
export function contextUse(request: SizedRequest, window: number | null): ContextUse {
  const usedTokens = activeTokens(request);
  return { usedTokens, window, percentLeft: window === null ? null : percentLeft(usedTokens, window) };
}

/** Returns the part of the model's window that a thread takes, as its last turn or the next one sees it. */
export function contextOf({ thread, state }: Pick<Turn, 'thread' | 'state'>, lastSetup?: TurnSetup): ContextUse {
  const { prompt, tools, window } = lastSetup ?? thread.initial ?? NO_SETUP;
  return contextUse({ state, setup: { prompt }, tools: tools() }, window);
}

const NO_TOOLS: ToolSnapshot = { offered: [], digest: '', find: () => undefined };
const NO_SETUP = { prompt: { instructions: '' }, tools: () => NO_TOOLS, window: null };

/** Tokens that a request has before anything was said: instructions, tools, and room for a compaction. */
const BASELINE_TOKENS = 12_000;
/** Part of a window that Codex uses. */
const USABLE = 0.95;

function percentLeft(tokens: number, window: number): number {
  const room = Math.floor(window * USABLE) - BASELINE_TOKENS;
  if (room <= 0) return 0;
  const used = Math.max(0, tokens - BASELINE_TOKENS);
  return Math.round((Math.max(0, room - used) / room) * 100);
}

/**
 * Returns the number of tokens that the next request sends: the last count of the server, and an estimate of everything
 * since. Without a count, everything is estimated. The time depends only on the items since the last call.
 */
export function activeTokens(request: SizedRequest): number {
  const { counted, history } = request.state;
  return counted ? counted.tokens + tokensFrom(history, counted.items) : estimatedTokens(request);
}

/** Returns the same as an estimate, without counts of a server. */
export function estimatedTokens({ state, setup, tools }: SizedRequest): number {
  const { history } = state;
  const instructions = state.instructions ?? setup.prompt.instructions;
  return textTokens(instructions) + toolTokens(tools) + historyTokens(history);
}

/** Returns an estimate of the tokens of an item: one for four bytes. */
export function itemTokens(item: Item): number {
  if (item.type === 'reasoning' && item.encrypted_content) {
    return tokensOf(Math.max(0, (item.encrypted_content.length * 3) / 4 - SEAL_BYTES));
  }
  let bytes = Buffer.byteLength(itemText(item));
  for (const part of partsOf(item)) {
    if (part.type === 'input_image') bytes += IMAGE_BYTES - part.image_url.length;
  }
  return tokensOf(bytes);
}

function textTokens(text: string): number {
  return tokensOf(Buffer.byteLength(text));
}

/** Returns an estimate for the items from an index on. */
export function tokensFrom(items: readonly Item[], from: number): number {
  let tokens = 0;
  for (let index = from; index < items.length; index++) {
    const item = items[index];
    if (item) tokens += itemTokens(item);
  }
  return tokens;
}

function partsOf(item: Item): readonly ContentPart[] {
  if (item.type === 'message') return item.content;
  if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return [];
  return typeof item.output === 'string' ? [] : item.output;
}

const countedTools = new WeakMap<ToolSnapshot, number>();

function toolTokens(tools: ToolSnapshot): number {
  const tokens = countedTools.get(tools) ?? textTokens(JSON.stringify(tools.offered));
  countedTools.set(tools, tokens);
  return tokens;
}

/** Estimate for the beginning of a history. It is valid only if its last item is still in the same position. */
interface Tally {
  readonly items: number;
  readonly last: Item | undefined;
  readonly tokens: number;
}

const tallies = new WeakMap<readonly Item[], Tally>();

function historyTokens(history: readonly Item[]): number {
  const known = tallies.get(history);
  const goesOn = known !== undefined && history[known.items - 1] === known.last;
  const from = goesOn ? known.items : 0;
  const tokens = (goesOn ? known.tokens : 0) + tokensFrom(history, from);
  tallies.set(history, { items: history.length, last: history.at(-1), tokens });
  return tokens;
}
