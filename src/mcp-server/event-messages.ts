import type { CommandItem, Event, EventBody, FileChangeItem, ThreadItem, ToolCallItem } from '../base/event.ts';
import { isRecord } from '../base/json-schema.ts';
import type { Usage } from '../base/usage.ts';
import { quoteArgv } from '../shell/quote.ts';
import { type CodexMessage, codexDuration } from './codex-message.ts';
import { plannedFileChanges, shownFileChanges } from './file-changes.ts';

/** Facts about a call of the model that later messages about it need. */
export interface SeenCalls {
  /** Ids of calls about which the client was asked. */
  readonly asked: Set<string>;
}

type OfType<T extends EventBody['type']> = Extract<Event, { readonly type: T }>;

type MessageTable = {
  readonly [T in EventBody['type']]: (event: OfType<T>, seen: SeenCalls) => readonly CodexMessage[];
};

const NONE = () => [];

/** The messages for each type of event. Events that Codex has no message for become none. */
const MESSAGES: MessageTable = {
  // `session_configured` is sent before the turn, with facts that no event has.
  'thread.started': NONE,
  'turn.started': ({ turnId }) => [{ type: 'task_started', turn_id: turnId, model_context_window: null }],
  'item.started': (event, seen) => begun(event.item, event.turnId, seen),
  'item.updated': ({ item }) => (item.type === 'plan' ? begunPlan(item) : []),
  'item.completed': (event, seen) => completed(event.item, event.turnId, seen),
  'item.dropped': NONE,
  'text.delta': ({ threadId, turnId, itemId, delta }) => [
    { type: 'agent_message_delta', delta },
    { type: 'agent_message_content_delta', thread_id: threadId, turn_id: turnId, item_id: itemId, delta },
  ],
  'reasoning.delta': ({ threadId, turnId, itemId, kind, delta }) =>
    kind === 'summary'
      ? [{ type: 'agent_reasoning_delta', delta }]
      : [{ type: 'reasoning_raw_content_delta', thread_id: threadId, turn_id: turnId, item_id: itemId, delta }],
  'reasoning.section': NONE,
  // Codex separates the streams. Here they are read as one, in the order in which they came.
  'command.output': ({ itemId, text }) => [
    {
      type: 'exec_command_output_delta',
      call_id: itemId,
      stream: 'stdout',
      chunk: Buffer.from(text).toString('base64'),
    },
  ],
  'ask.opened': (event, seen) => asked(event, seen),
  'ask.answered': NONE,
  retry: NONE,
  'request.waiting': NONE,
  'usage.limits': NONE,
  'usage.waiting': NONE,
  repair: NONE,
  'mcp.state': NONE,
  'mcp.log': NONE,
  'calls.received': NONE,
  warning: NONE,
  'request.ended': NONE,
  'call.started': NONE,
  'call.progress': NONE,
  'call.ended': NONE,
  'turn.diff': ({ diff }) => [{ type: 'turn_diff', unified_diff: diff }],
  usage: ({ response, thread }) => [
    {
      type: 'token_count',
      info: {
        total_token_usage: tokenCounts(thread),
        last_token_usage: response === null ? null : tokenCounts(response),
        model_context_window: null,
      },
      rate_limits: null,
    },
  ],
  compacted: NONE,
  'prefix.changed': NONE,
  context: NONE,
  'terminals.changed': NONE,
  'queue.changed': NONE,
  'thread.rolled_back': NONE,
  'input.taken': NONE,
  'output.refused': NONE,
  'turn.completed': ({ turnId, finalResponse }) => [
    { type: 'task_complete', turn_id: turnId, last_agent_message: finalResponse },
  ],
  'turn.ledger': NONE,
  'turn.failed': ({ turnId, error }) => [
    { type: 'error', message: error.message },
    { type: 'task_complete', turn_id: turnId, last_agent_message: null },
  ],
  'turn.aborted': ({ turnId, reason }) => [{ type: 'turn_aborted', turn_id: turnId, reason }],
  'turn.suspended': NONE,
};

/** Returns the messages of Codex for an event, in their order. */
export function messagesOf<T extends EventBody['type']>(event: OfType<T>, seen: SeenCalls): readonly CodexMessage[] {
  const make = MESSAGES[event.type as T] as (event: OfType<T>, seen: SeenCalls) => readonly CodexMessage[];
  return make(event, seen);
}

function begun(item: ThreadItem, turnId: string | null, seen: SeenCalls): readonly CodexMessage[] {
  switch (item.type) {
    case 'command':
      return [{ type: 'exec_command_begin', ...commandFields(item, turnId) }];
    case 'file_change':
      return [
        {
          type: 'patch_apply_begin',
          ...patchFields(item, turnId),
          auto_approved: !seen.asked.has(item.id),
        },
      ];
    case 'web_search':
      return [{ type: 'web_search_begin', call_id: item.id }];
    case 'plan':
      return begunPlan(item);
    case 'tool_call':
      return item.mcp ? [{ type: 'mcp_tool_call_begin', ...invocationOf(item, item.mcp) }] : [];
    default:
      return [];
  }
}

function completed(item: ThreadItem, turnId: string | null, seen: SeenCalls): readonly CodexMessage[] {
  switch (item.type) {
    case 'agent_message':
      return [{ type: 'agent_message', message: item.text }];
    case 'reasoning':
      return [{ type: 'agent_reasoning', text: item.text }];
    case 'command':
      return endedCommand(item, turnId);
    case 'file_change':
      return endedPatch(item, turnId, seen);
    case 'web_search':
      return [
        {
          type: 'web_search_end',
          call_id: item.id,
          query: item.query,
          action: item.action ?? { type: 'search', query: item.query },
        },
      ];
    case 'tool_call':
      return endedToolCall(item);
    default:
      return [];
  }
}

function begunPlan({ explanation, steps }: Extract<ThreadItem, { type: 'plan' }>): readonly CodexMessage[] {
  return [{ type: 'plan_update', explanation, plan: steps.map(({ step, status }) => ({ step, status })) }];
}

function commandFields({ id, argv, cwd }: CommandItem, turnId: string | null) {
  return { call_id: id, turn_id: turnId, command: argv, cwd, parsed_cmd: parsedCommand(argv), source: 'agent' };
}

/** Returns a command in the list of recognised commands of Codex, as one that was not recognised. */
export function parsedCommand(argv: readonly string[]): readonly { readonly type: 'unknown'; readonly cmd: string }[] {
  return [{ type: 'unknown', cmd: quoteArgv(argv) }];
}

/** Returns the end of a command. A command that was declined has not begun, so its beginning comes first. */
function endedCommand(item: CommandItem, turnId: string | null): readonly CodexMessage[] {
  const { output, exitCode, durationMs, status, reason } = item;
  const fields = commandFields(item, turnId);
  const stderr = status === 'declined' ? (reason?.message ?? '') : '';
  const end: CodexMessage = {
    type: 'exec_command_end',
    ...fields,
    stdout: output,
    stderr,
    aggregated_output: output,
    exit_code: exitCode ?? -1,
    duration: codexDuration(durationMs ?? 0),
    formatted_output: output,
    status,
  };
  return status === 'declined' ? [{ type: 'exec_command_begin', ...fields }, end] : [end];
}

function patchFields({ id, changes }: FileChangeItem, turnId: string | null) {
  return { call_id: id, turn_id: turnId, changes: shownFileChanges(changes) };
}

function endedPatch(item: FileChangeItem, turnId: string | null, seen: SeenCalls): readonly CodexMessage[] {
  const { status, reason } = item;
  const end: CodexMessage = {
    type: 'patch_apply_end',
    ...patchFields(item, turnId),
    stdout: '',
    stderr: reason?.message ?? '',
    success: status === 'completed',
    status,
  };
  return status === 'declined' ? [...begun(item, turnId, seen), end] : [end];
}

function invocationOf({ id, arguments: text }: ToolCallItem, { server, tool }: NonNullable<ToolCallItem['mcp']>) {
  return { call_id: id, invocation: { server, tool, arguments: parsedArguments(text) } };
}

function endedToolCall(item: ToolCallItem): readonly CodexMessage[] {
  if (!item.mcp) return [];
  const text = item.output ?? '';
  const result = item.status === 'failed' ? { Err: text } : { Ok: { content: [{ type: 'text', text }] } };
  const duration = codexDuration(item.durationMs ?? 0);
  return [{ type: 'mcp_tool_call_end', ...invocationOf(item, item.mcp), duration, result }];
}

/** Returns arguments as an object, or as the text that the model wrote. */
function parsedArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : text;
  } catch {
    return text;
  }
}

/** Returns the request of an approval. Codex has none for actions that are neither commands nor patches. */
function asked({ ask, turnId }: OfType<'ask.opened'>, seen: SeenCalls): readonly CodexMessage[] {
  const { callId, action, cwd, reason } = ask;
  seen.asked.add(callId);
  const fields = { call_id: callId, turn_id: turnId, reason };
  if (action.kind === 'command') {
    const { argv } = action;
    return [{ type: 'exec_approval_request', ...fields, command: argv, cwd, parsed_cmd: parsedCommand(argv) }];
  }
  if (action.kind !== 'patch') return [];
  const changes = plannedFileChanges(action.changes);
  return [{ type: 'apply_patch_approval_request', ...fields, changes, grant_root: null }];
}

function tokenCounts(usage: Usage) {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
    total_tokens: usage.totalTokens,
  };
}
