import { digestOf } from '../../base/digest-of.ts';
import { isFromUser } from '../../base/is-from-user.ts';
import { type CallItem, type CallOutputItem, type Item, isCall, isCallOutput, isHosted } from '../../base/item.ts';
import { itemText, withSharedImages } from '../../base/item-text.ts';
import type { ItemMetadata } from '../../base/log.ts';
import { sectionsIn } from '../../base/section.ts';
import { isSummary } from '../../base/summary.ts';
import { lastProvider, type OpenCall, type ThreadState } from './thread-state.ts';

/**
 * Adds an item to the history. The history stays valid for any server, whichever program wrote the log: each call has
 * exactly one output, before the next message that is not the model's; no output is without its call; no id occurs
 * twice.
 */
export function applyItem(state: ThreadState, item: Item, metadata?: ItemMetadata): void {
  if (isCallOutput(item)) {
    answer(state, item, metadata?.success === false);
    return;
  }
  if (isCall(item)) {
    open(state, item);
    return;
  }
  // This message was sent without the missing outputs.
  if (isTold(item)) closeCalls(state);
  push(state, item);
  noteReasoning(state, item);
  for (const { name, text } of sectionsIn(item)) state.told.set(name, text);
}

/** Reports whether an item is not part of a response. */
function isTold(item: Item): boolean {
  return item.type === 'message' ? item.role !== 'assistant' : TOLD.has(item.type);
}

const TOLD: ReadonlySet<Item['type']> = new Set(['agent_message', 'compaction', 'context_compaction']);

/** Replaces the history. */
export function replaceHistory(state: ThreadState, history: readonly Item[]): void {
  state.history.length = 0;
  state.digest = 0;
  state.counted = null;
  state.itemIds.clear();
  state.callIds.clear();
  state.openCalls.clear();
  state.failedCalls.clear();
  state.closedAsks.clear();
  state.told.clear();
  state.reasoning = 'none';
  for (const item of history) applyItem(state, item);
}

/** Removes the last turns from the history. Turns that a summary replaced cannot be removed. */
export function dropTurns(state: ThreadState, count: number): void {
  if (!(count > 0)) return;
  state.turns = Math.max(0, state.turns - count);
  const { history } = state;
  const { begin, turns } = turnsOf(history);
  if (turns.length === 0 && begin === 0) return;
  const failed = [...state.failedCalls];
  state.rolledBack = true;
  replaceHistory(state, history.slice(0, turns.at(-count) ?? begin));
  for (const id of failed) if (state.callIds.has(id)) state.failedCalls.add(id);
}

/** Returns the number of turns that can be removed. */
export function countTurns({ history }: ThreadState): number {
  return turnsOf(history).turns.length;
}

/** Returns the index at which the history since the last summary begins, and the index of each of its turns. */
function turnsOf(history: readonly Item[]): { readonly begin: number; readonly turns: readonly number[] } {
  const begin = history.findLastIndex(isSummary) + 1;
  return { begin, turns: history.flatMap((item, index) => (index >= begin && isFromUser(item) ? [index] : [])) };
}

/** Returns the first open call with that id of the model's for which the test holds. */
export function findOpenCall(
  state: ThreadState,
  callId: string,
  test: (call: OpenCall) => boolean = () => true,
): OpenCall | undefined {
  const call = state.openCalls.get(callId);
  if (call?.item.call_id === callId && test(call)) return call;
  for (const other of state.openCalls.values()) if (other.item.call_id === callId && test(other)) return other;
  return undefined;
}

function noteReasoning(state: ThreadState, item: Item): void {
  if (item.type === 'reasoning' && state.reasoning === 'none') state.reasoning = 'new';
  if (item.type !== 'message' || item.role !== 'user') return;
  if (state.reasoning === 'new') state.reasoning = 'none';
  if (state.reasoning === 'sent') state.reasoning = 'past';
}

function push(state: ThreadState, item: Item): void {
  const own = withSharedImages(withOwnId(state, item));
  state.history.push(own);
  state.digest = digestOf(itemText(own), state.digest);
  noteMaker(state, own);
}

/** Notes the provider of an item that only its maker can read. An item that stays when the history is replaced has one. */
function noteMaker(state: ThreadState, item: Item): void {
  if ((!isHosted(item) && item.type !== 'reasoning') || state.madeBy.has(item)) return;
  const provider = lastProvider(state);
  if (provider !== null) state.madeBy.set(item, provider);
}

/**
 * Returns an item without its id if the id is taken. Servers refuse an id that occurs twice, but accept items without
 * one.
 */
function withOwnId(state: ThreadState, item: Item): Item {
  if (typeof item.id !== 'string') return item;
  if (!state.itemIds.has(item.id)) {
    state.itemIds.add(item.id);
    return item;
  }
  const { id: _, ...rest } = item;
  return rest as Item;
}

/** Adds a call. Servers that count their calls in each response use the same ids again. */
function open(state: ThreadState, item: CallItem): void {
  const id = freeId(state.callIds, item.call_id);
  state.callIds.add(id);
  push(state, id === item.call_id ? item : { ...item, call_id: id });
  state.openCalls.set(id, { item, id, status: state.isOwnTurn ? 'requested' : 'started' });
}

function freeId(taken: ReadonlySet<string>, id: string): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}_${count}`;
  return free;
}

function answer(state: ThreadState, output: CallOutputItem, failed: boolean): void {
  const call = findOpenCall(state, output.call_id);
  // An output without its call would make the server refuse every further request.
  if (!call) return;
  state.openCalls.delete(call.id);
  closeAsk(state, call);
  push(state, outputFor(call.item, call.id, output));
  if (failed) state.failedCalls.add(call.id);
}

/** Closes the question of a call, if it has one. */
export function closeAsk({ closedAsks }: ThreadState, call: OpenCall): void {
  if (call.suspended) closedAsks.add(call.suspended.ask.id);
  delete call.suspended;
}

function closeCalls(state: ThreadState): void {
  for (const call of [...state.openCalls.values()]) {
    const { item, finished } = call;
    const { call_id } = item;
    const output = finished?.output ?? { type: outputType(item), call_id, output: lostCallText(call) };
    answer(state, output, finished?.metadata.success !== true);
  }
}

/** Returns the output of a call that a dead process or an unanswered question left open. It says what is known of the call. */
export function lostCallText({ status, readOnly, suspended }: OpenCall): string {
  if (suspended) return UNANSWERED;
  if (status === 'requested') return NEVER_STARTED;
  return readOnly ? ONLY_READ : UNKNOWN;
}

/** Returns an output of the type that matches its call, under the id that the call has in the history. */
function outputFor(call: CallItem, callId: string, output: CallOutputItem): CallOutputItem {
  const type = outputType(call);
  if (output.type === type && output.call_id === callId) return output;
  return { ...output, type, call_id: callId };
}

function outputType(call: CallItem): CallOutputItem['type'] {
  return call.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
}

const NEVER_STARTED = 'aborted';
const UNANSWERED = 'Not run: the user was asked whether it may run, and went on without an answer to the question.';
const ONLY_READ =
  'The agent stopped while this call was running. It only reads, so it may be repeated if its output is still wanted.';
const UNKNOWN =
  'The agent stopped while this call was running. Whether it took effect, wholly or in part, is not known: check before repeating it.';
