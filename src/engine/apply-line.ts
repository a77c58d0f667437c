import { hashText } from '../base/hash-text.ts';
import { type Item, isCall, isCallOutput, messageText } from '../base/item.ts';
import { itemText } from '../base/item-text.ts';
import type { EventMessage, ItemMetadata, LogLine, OxbowLine } from '../base/log.ts';
import { sectionsIn } from '../base/section.ts';
import type { ThreadState } from './thread-state.ts';
import { fromTokenCounts } from './token-counts.ts';

/** One step of the fold. */
export function applyLine(state: ThreadState, line: LogLine): void {
  switch (line.type) {
    case 'session_meta':
      if (state.meta) return;
      state.meta = line.payload;
      state.instructions = line.payload.base_instructions?.text ?? null;
      return;
    case 'turn_context':
      state.lastTurn = line.payload;
      return;
    case 'response_item':
      applyItem(state, line.payload);
      if (line.metadata) applyMetadata(state, line.payload, line.metadata);
      return;
    case 'event_msg':
      applyEvent(state, line.payload);
      return;
    case 'oxbow':
      applyOwn(state, line.payload);
      return;
    case 'compacted':
      if (line.payload.replacement_history) replaceHistory(state, line.payload.replacement_history);
      return;
  }
}

function replaceHistory(state: ThreadState, history: readonly Item[]): void {
  state.history.length = 0;
  state.digest = 0;
  state.counted = null;
  state.openCalls.clear();
  state.failedCalls.clear();
  state.told.clear();
  for (const item of history) applyItem(state, item);
}

function applyItem(state: ThreadState, item: Item): void {
  // An output that answers nothing would make the server refuse every request from here on.
  if (isCallOutput(item) && !state.openCalls.delete(item.call_id)) return;
  state.history.push(item);
  state.digest = hashText(itemText(item), state.digest);
  if (isCall(item)) state.openCalls.set(item.call_id, { item, status: 'requested' });
  for (const { name, text } of sectionsIn(item)) state.told.set(name, text);
}

function applyMetadata(state: ThreadState, item: Item, metadata: ItemMetadata): void {
  if (metadata.queued !== undefined) removeQueued(state, metadata.queued);
  if (metadata.success === false && isCallOutput(item)) state.failedCalls.add(item.call_id);
}

/** Messages that the agent wrote in the user's name begin with a tag or the heading of AGENTS.md. */
export function isFromUser(item: Item): boolean {
  return item.type === 'message' && item.role === 'user' && !/^(<[a-z_]+[ >]|# AGENTS\.md)/.test(messageText(item));
}

function dropTurns(state: ThreadState, count: number): void {
  const begins = state.history.flatMap((item, index) => (isFromUser(item) ? [index] : []));
  const from = begins.at(-count);
  if (count > 0 && begins.length > 0) replaceHistory(state, state.history.slice(0, from ?? 0));
}

function applyEvent(state: ThreadState, event: EventMessage): void {
  if (event.type === 'task_started') state.turns++;
  if (event.type === 'thread_rolled_back') dropTurns(state, event.num_turns);
  if (event.type === 'token_count' && event.info) {
    state.usage = fromTokenCounts(event.info.total_token_usage);
    state.counted = { tokens: event.info.last_token_usage.total_tokens, items: state.history.length };
  }
}

function applyOwn(state: ThreadState, line: OxbowLine): void {
  switch (line.kind) {
    case 'request.started':
      state.requests = line.request;
      return;
    case 'call.started': {
      const call = state.openCalls.get(line.call_id);
      if (call) call.status = 'started';
      if (call && line.read_only) call.readOnly = true;
      return;
    }
    case 'call.finished': {
      const call = state.openCalls.get(line.output.call_id);
      if (call) call.finished = { output: line.output, metadata: line.metadata };
      return;
    }
    case 'prefix.changed':
      state.instructions = line.instructions ?? state.instructions;
      state.tools = line.tools ?? state.tools;
      return;
    case 'input.queued':
      state.queue.push({ id: line.id, content: line.content });
      return;
    case 'input.edited': {
      const index = state.queue.findIndex(({ id }) => id === line.id);
      if (index >= 0) state.queue[index] = { id: line.id, content: line.content };
      return;
    }
    case 'input.removed':
      removeQueued(state, line.id);
      return;
    case 'checkpoint':
      state.turns = line.turns;
      state.requests = line.requests;
      state.usage = fromTokenCounts(line.usage);
      state.queue.splice(0, state.queue.length, ...line.queue);
      state.instructions = line.instructions;
      state.tools = line.tools;
      return;
  }
}

function removeQueued(state: ThreadState, id: string): void {
  const index = state.queue.findIndex((input) => input.id === id);
  if (index >= 0) state.queue.splice(index, 1);
}
