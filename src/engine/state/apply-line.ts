import { type Item, isCallOutput } from '../../base/item.ts';
import type { Checkpoint, EventMessage, LogLine, OxbowLine, TokenInfo, UserCommandLine } from '../../base/log.ts';
import { applyItem, closeAsk, dropTurns, findOpenCall, replaceHistory } from './apply-item.ts';
import { summarized } from './replacement.ts';
import type { ThreadState, TokenCount } from './thread-state.ts';
import { fromTokenCounts } from './token-counts.ts';

/** Applies one line to the state. */
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
      applyItem(state, line.payload, line.metadata);
      if (line.metadata?.queued !== undefined) removeQueued(state, line.metadata.queued);
      if (line.metadata?.command !== undefined) state.commands.delete(line.metadata.command);
      return;
    case 'event_msg':
      applyEvent(state, line.payload);
      return;
    case 'oxbow':
      applyOwn(state, line.payload);
      return;
    case 'compacted':
      // A reader may begin here. Our next request is on record before its calls.
      state.isOwnTurn = false;
      replaceHistory(state, line.payload.replacement_history ?? summarized(state.history, line.payload.message));
      // The compaction replaces the cause of an earlier rollback.
      state.rolledBack = false;
      return;
  }
}

function applyEvent(state: ThreadState, event: EventMessage): void {
  if (event.type === 'task_started') state.turns++;
  if (TURN_EDGES.has(event.type)) state.isOwnTurn = false;
  if (event.type === 'thread_rolled_back') dropTurns(state, event.num_turns);
  if (event.type === 'token_count' && event.info) applyCount(state, event.info);
}

const TURN_EDGES: ReadonlySet<EventMessage['type']> = new Set(['task_started', 'task_complete', 'turn_aborted']);

function applyCount(state: ThreadState, info: TokenInfo): void {
  state.usage = fromTokenCounts(info.total_token_usage);
  const tokens = info.last_token_usage.total_tokens;
  // Some servers send the field without counting.
  if (tokens > 0) state.counted = nextCount(state, tokens);
}

function nextCount({ counted, history }: ThreadState, tokens: number): TokenCount {
  const steady = counted && isClose(tokens, counted.steady.tokens) ? counted.steady : { tokens, counts: 0 };
  return {
    tokens,
    items: countedItems(history),
    least: Math.min(tokens, counted?.least ?? tokens),
    steady: { ...steady, counts: steady.counts + 1 },
  };
}

function isClose(tokens: number, to: number): boolean {
  return Math.abs(tokens - to) <= to / 5;
}

/**
 * Returns the number of items that a response counted: its request and itself. Codex records the count after the
 * outputs of the calls.
 */
function countedItems(history: readonly Item[]): number {
  let items = history.length;
  while (items > 0 && !isFromModel(history[items - 1])) items--;
  return items === 0 ? history.length : items;
}

function isFromModel(item: Item | undefined): boolean {
  return item !== undefined && !isCallOutput(item) && (item.type !== 'message' || item.role === 'assistant');
}

function applyOwn(state: ThreadState, line: OxbowLine): void {
  switch (line.kind) {
    case 'request.started':
      state.requests = line.request;
      state.isOwnTurn = true;
      if (state.reasoning === 'new') state.reasoning = 'sent';
      return;
    case 'call.started': {
      const call = findOpenCall(state, line.call_id, ({ status }) => status === 'requested');
      if (call) call.status = 'started';
      if (call && line.read_only) call.readOnly = true;
      if (call) closeAsk(state, call);
      return;
    }
    case 'ask.suspended': {
      const call = findOpenCall(state, line.call_id, ({ status }) => status === 'requested');
      if (!call) return;
      closeAsk(state, call);
      call.suspended = { ask: line.ask, ...(line.edited ? { edited: true } : {}) };
      return;
    }
    case 'call.finished': {
      const call = findOpenCall(state, line.output.call_id, ({ finished }) => !finished);
      if (call) call.finished = { output: line.output, metadata: line.metadata };
      if (call) closeAsk(state, call);
      return;
    }
    case 'prefix.changed':
      state.instructions = line.instructions ?? state.instructions;
      state.tools = line.tools ?? state.tools;
      if (line.cause === 'start' || line.cause === 'rollback') state.rolledBack = false;
      if (line.cause === 'reasoning') state.reasoning = 'none';
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
    case 'command.started':
    case 'command.ended':
      applyCommand(state, line);
      return;
    case 'turn.failed':
    case 'turn.suspended':
      state.isOwnTurn = false;
      return;
    case 'checkpoint':
      applyCheckpoint(state, line);
      return;
  }
}

function applyCommand({ commands }: ThreadState, line: UserCommandLine): void {
  const { id, turn_id, item } = line;
  const begun = commands.get(id);
  if (line.kind === 'command.started') commands.set(id, { id, turn_id, item, text: null });
  else if (begun && line.text !== undefined) commands.set(id, { ...begun, text: line.text });
}

function applyCheckpoint(state: ThreadState, line: Checkpoint): void {
  state.turns = line.turns;
  state.requests = line.requests;
  state.usage = fromTokenCounts(line.usage);
  state.queue.splice(0, state.queue.length, ...line.queue);
  state.commands.clear();
  for (const command of line.commands ?? []) state.commands.set(command.id, command);
  state.instructions = line.instructions;
  state.tools = line.tools;
}

function removeQueued(state: ThreadState, id: string): void {
  const index = state.queue.findIndex((input) => input.id === id);
  if (index >= 0) state.queue.splice(index, 1);
}
