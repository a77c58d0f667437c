import { type CallItem, type CallOutputItem, type Item, isCall, isCallOutput, messageText } from '../base/item.ts';
import type { EventMessage, LogLine, OutputMetadata, OxbowLine, SessionMeta, TokenCounts } from '../base/log.ts';
import { NO_USAGE, type Usage } from '../base/usage.ts';

/** All that a thread knows: a fold over its log, the same whether the thread is running or was just read from disk. */
export interface ThreadState {
  meta: SessionMeta | null;
  /** What the next request sends. Grows at its end only. */
  readonly history: Item[];
  /** Calls without an output in the history, in call order. */
  readonly openCalls: Map<string, OpenCall>;
  /** Calls whose output tells of a failure. */
  readonly failedCalls: Set<string>;
  /** The whole thread's tokens, across resumes. */
  usage: Usage;
  requests: number;
  /** What the model was last told about its surroundings. */
  environmentContext: string | null;
}

export interface OpenCall {
  readonly item: CallItem;
  /** `requested`: it certainly had no effect yet. `started`: it may have had one. */
  status: 'requested' | 'started';
  /** Set when it started and changes nothing. */
  readOnly?: true;
  /** Set when it ended before its output could take its place in the history. */
  finished?: { readonly output: CallOutputItem; readonly metadata: OutputMetadata };
}

export function emptyState(): ThreadState {
  return {
    meta: null,
    history: [],
    openCalls: new Map(),
    failedCalls: new Set(),
    usage: NO_USAGE,
    requests: 0,
    environmentContext: null,
  };
}

/** One step of the fold. */
export function applyLine(state: ThreadState, line: LogLine): void {
  switch (line.type) {
    case 'session_meta':
      state.meta ??= line.payload;
      return;
    case 'response_item':
      applyItem(state, line.payload);
      if (line.metadata?.success === false && isCallOutput(line.payload)) state.failedCalls.add(line.payload.call_id);
      return;
    case 'event_msg':
      applyEvent(state, line.payload);
      return;
    case 'oxbow':
      applyOwn(state, line.payload);
      return;
    case 'compacted':
      replaceHistory(state, line.payload.replacement_history ?? []);
      return;
    case 'turn_context':
      return;
  }
}

function replaceHistory(state: ThreadState, history: readonly Item[]): void {
  state.history.length = 0;
  state.openCalls.clear();
  state.environmentContext = null;
  for (const item of history) applyItem(state, item);
}

/** Messages that the agent wrote in the user's name begin with a tag or the heading of AGENTS.md. */
function isFromUser(item: Item): boolean {
  return item.type === 'message' && item.role === 'user' && !/^(<[a-z_]+[ >]|# AGENTS\.md)/.test(messageText(item));
}

function dropTurns(state: ThreadState, count: number): void {
  const begins = state.history.flatMap((item, index) => (isFromUser(item) ? [index] : []));
  const from = begins.at(-count);
  if (count > 0 && begins.length > 0) replaceHistory(state, state.history.slice(0, from ?? 0));
}

function applyItem(state: ThreadState, item: Item): void {
  state.history.push(item);
  if (isCall(item)) state.openCalls.set(item.call_id, { item, status: 'requested' });
  else if (isCallOutput(item)) state.openCalls.delete(item.call_id);
  else if (item.type === 'message' && item.role === 'user') {
    const text = messageText(item);
    if (text.startsWith('<environment_context>')) state.environmentContext = text;
  }
}

function applyEvent(state: ThreadState, event: EventMessage): void {
  if (event.type === 'thread_rolled_back') dropTurns(state, event.num_turns);
  if (event.type === 'token_count' && event.info) state.usage = fromTokenCounts(event.info.total_token_usage);
}

function applyOwn(state: ThreadState, line: OxbowLine): void {
  if (line.kind === 'request.started') state.requests = line.request;
  if (line.kind === 'call.started') {
    const call = state.openCalls.get(line.call_id);
    if (call) call.status = 'started';
    if (call && line.read_only) call.readOnly = true;
  }
  if (line.kind === 'call.finished') {
    const call = state.openCalls.get(line.output.call_id);
    if (call) call.finished = { output: line.output, metadata: line.metadata };
  }
}

function fromTokenCounts(counts: TokenCounts): Usage {
  return {
    inputTokens: counts.input_tokens,
    cachedInputTokens: counts.cached_input_tokens,
    cacheWriteInputTokens: counts.cache_write_input_tokens ?? 0,
    outputTokens: counts.output_tokens,
    reasoningOutputTokens: counts.reasoning_output_tokens,
    totalTokens: counts.total_tokens,
  };
}

export function toTokenCounts(usage: Usage): TokenCounts {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
    total_tokens: usage.totalTokens,
  };
}
