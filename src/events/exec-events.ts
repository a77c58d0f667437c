import type { PlanStep } from '../base/action.ts';
import type {
  CommandItem,
  Event,
  FileChangeItem,
  ThreadItem,
  ToolCallItem,
  TurnError,
  Warning,
  WebSearchItem,
} from '../base/event.ts';
import { clockTime } from '../base/local-time.ts';
import type { Repair } from '../base/repair.ts';
import type { Usage } from '../base/usage.ts';
import type { UsageLimits } from '../base/usage-limits.ts';
import { quoteForCodex } from '../shell/quote-for-codex.ts';

/** An event with the type and the keys of `codex exec --json`, for programs that read that format. */
export type ExecEvent =
  | { readonly type: 'thread.started'; readonly thread_id: string }
  | { readonly type: 'turn.started' }
  | { readonly type: 'item.started' | 'item.updated' | 'item.completed'; readonly item: ExecItem }
  | ({ readonly type: 'turn.completed'; readonly usage: ExecUsage } & ExecTurnNotes)
  | ({ readonly type: 'turn.failed'; readonly error: ExecFailure } & ExecTurnNotes)
  /** A call that was found in a text, before it runs. Codex does not have this event, and its readers ignore it. */
  | {
      readonly type: 'repair';
      readonly id: string;
      readonly title: string;
      readonly before: string;
      readonly after: string;
    }
  | { readonly type: 'error'; readonly message: string };

export type ExecItem =
  | { readonly id: string; readonly type: 'agent_message' | 'reasoning'; readonly text: string }
  | {
      readonly id: string;
      readonly type: 'command_execution';
      readonly command: string;
      readonly aggregated_output: string;
      /** Null while the command runs. */
      readonly exit_code: number | null;
      readonly status: 'in_progress' | 'completed' | 'failed' | 'declined';
    }
  | {
      readonly id: string;
      readonly type: 'file_change';
      /** For a moved file, the old path. */
      readonly changes: readonly { readonly path: string; readonly kind: 'add' | 'update' | 'delete' }[];
      /** A patch that was not allowed counts as failed. */
      readonly status: 'in_progress' | 'completed' | 'failed';
    }
  | {
      readonly id: string;
      readonly type: 'todo_list';
      readonly items: readonly { readonly text: string; readonly completed: boolean }[];
    }
  | {
      readonly id: string;
      readonly type: 'mcp_tool_call';
      readonly server: string;
      readonly tool: string;
      /** Arguments of the call, or their beginning and end as a text if they are long. */
      readonly arguments: unknown;
      /** The output that the model got. Null while the call runs, and if there is no result. */
      readonly result: {
        readonly content: readonly { readonly type: 'text'; readonly text: string }[];
        /** The structured content of the server. Null if there is none, or if it was cut. */
        readonly structured_content: unknown;
      } | null;
      readonly error: { readonly message: string } | null;
      readonly status: 'in_progress' | 'completed' | 'failed';
    }
  | {
      readonly id: string;
      readonly type: 'web_search';
      readonly query: string;
      readonly action: Readonly<Record<string, unknown>>;
    }
  | { readonly id: string; readonly type: 'error'; readonly message: string };

/** The failure of a turn. Codex has only the message. */
export interface ExecFailure {
  readonly message: string;
  /** End of the usage limit that was reached, in seconds since 1970. */
  readonly resets_at?: number;
}

/** Facts about a turn that Codex does not have. Its readers ignore these keys. */
export interface ExecTurnNotes {
  readonly repairs?: readonly ExecRepair[];
  /** Limits of the account, as the server last reported them. */
  readonly usage_limits?: ExecUsageLimits;
}

/** Limits of an account. Times are seconds since 1970. */
export interface ExecUsageLimits {
  readonly plan: string | null;
  readonly windows: readonly {
    readonly name: string;
    readonly used_percent: number;
    readonly window_minutes: number | null;
    readonly resets_at: number | null;
  }[];
}

/** Repairs of one kind in a turn. Codex does not have this key, and its readers ignore it. */
export interface ExecRepair {
  readonly id: string;
  readonly title: string;
  readonly times: number;
  /** Of the first repair. */
  readonly before: string;
  readonly after: string;
}

/** Usage of the whole thread. */
export interface ExecUsage {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
}

/** Returns a function that converts events. Items are numbered in the order in which they first appear. */
export function createExecEvents(): (event: Event) => readonly ExecEvent[] {
  const numbers = new Map<string, string>();
  const numberOf = (id: string) => {
    const known = numbers.get(id) ?? `item_${numbers.size}`;
    numbers.set(id, known);
    return known;
  };
  const repairs = new Map<string, ExecRepair>();
  let limits: ExecUsageLimits | undefined;
  const withNotes = <E extends ExecEvent>(event: E): E => ({
    ...event,
    ...(repairs.size > 0 && { repairs: [...repairs.values()] }),
    ...(limits && { usage_limits: limits }),
  });
  return (event) => {
    switch (event.type) {
      case 'thread.started':
        return [{ type: event.type, thread_id: event.threadId }];
      case 'turn.started':
        repairs.clear();
        return [{ type: event.type }];
      case 'repair': {
        const { id, title, before, after } = event;
        const first = repairs.get(id) ?? { id, title, times: 0, before, after };
        repairs.set(id, { ...first, times: first.times + 1 });
        return isTextCall(event) ? [{ type: 'repair', id, title, before, after }] : [];
      }
      case 'item.started':
      case 'item.updated':
      case 'item.completed': {
        // Codex reports texts when they are complete.
        if (event.type === 'item.started' && 'text' in event.item) return [];
        const item = toExecItem(event.item, numberOf);
        return item ? [{ type: event.type, item }] : [];
      }
      case 'warning':
        // Printed before the thread begins.
        return event.code === 'config' ? [] : [warningItem(event, numberOf)];
      case 'retry':
        // Codex reports only retries of responses.
        if (event.of === 'request') return [];
        return [{ type: 'error', message: `Reconnecting... ${event.attempt}/${event.max} (${event.reason})` }];
      case 'usage.limits':
        limits = toExecLimits(event);
        return [];
      case 'usage.waiting':
        return [{ type: 'error', message: waitingText(event) }];
      case 'turn.completed':
        return [withNotes({ type: event.type, usage: toExecUsage(event.usage) })];
      case 'turn.failed': {
        const error = toExecFailure(event.error);
        return [{ type: 'error', message: error.message }, withNotes({ type: event.type, error })];
      }
      default:
        return [];
    }
  };
}

/** Returns the sentence about a turn that waits for the end of a usage limit. */
export function waitingText({ until }: { readonly until: number }): string {
  return `The usage limit is reached. Waiting until ${clockTime(until)}.`;
}

function toExecLimits({ plan, windows }: UsageLimits): ExecUsageLimits {
  const seconds = (ms: number | null) => (ms === null ? null : Math.round(ms / 1000));
  return {
    plan,
    windows: windows.map(({ name, usedPercent, windowMinutes, resetsAt }) => ({
      name,
      used_percent: usedPercent,
      window_minutes: windowMinutes,
      resets_at: seconds(resetsAt),
    })),
  };
}

function toExecFailure(failure: TurnError): ExecFailure {
  const { resetsAt } = failure;
  return {
    message: failureMessage(failure),
    ...(resetsAt !== undefined && { resets_at: Math.round(resetsAt / 1000) }),
  };
}

function warningItem({ seq, message }: Event & Warning, numberOf: (id: string) => string): ExecEvent {
  return { type: 'item.completed', item: { id: numberOf(`warning ${seq}`), type: 'error', message } };
}

/** Returns the message of Codex, and then our sentence if it says more. */
function failureMessage({ message, codexMessage }: TurnError): string {
  if (codexMessage === undefined) return message;
  const quoted = JSON.stringify(message).slice(1, -1);
  return codexMessage.includes(quoted) || codexMessage === message ? codexMessage : `${codexMessage} ${message}`;
}

/** Reports whether a repair made a call of a text: quirks of class D. */
function isTextCall({ id, callId }: Repair): boolean {
  return id.startsWith('D') && callId !== null;
}

function toExecItem(item: ThreadItem, numberOf: (id: string) => string): ExecItem | undefined {
  switch (item.type) {
    case 'agent_message':
    case 'reasoning':
      return { id: numberOf(item.id), type: item.type, text: item.text };
    case 'command':
      return toCommandExecution(item, numberOf(item.id));
    case 'file_change':
      return toFileChange(item, numberOf(item.id));
    case 'web_search':
      return toWebSearch(item, numberOf(item.id));
    case 'plan':
      return { id: numberOf(item.id), type: 'todo_list', items: item.steps.map(toTodo) };
    case 'tool_call':
      return item.mcp && toMcpToolCall(item, item.mcp, numberOf(item.id));
    case 'user_message':
      return undefined;
  }
}

function toFileChange({ changes, status }: FileChangeItem, id: string): ExecItem {
  const statuses = { running: 'in_progress', completed: 'completed', failed: 'failed', declined: 'failed' } as const;
  const shown = changes.map(({ path, kind }) => ({ path, kind }));
  return { id, type: 'file_change', changes: shown, status: statuses[status] };
}

function toMcpToolCall(item: ToolCallItem, mcp: NonNullable<ToolCallItem['mcp']>, id: string): ExecItem {
  const { server, tool, structured } = mcp;
  const { status, output } = item;
  // The first lines say how long the call took.
  const text = output?.replace(/^Wall time: [\d.]+ seconds\nOutput:\n?/, '') ?? '';
  const error = text.startsWith(CALL_ERROR) ? text.slice(CALL_ERROR.length) : text === output ? text : undefined;
  const hasResult = output !== null && (status === 'completed' || error === undefined);
  return {
    id,
    type: 'mcp_tool_call',
    server,
    tool,
    arguments: parsedOr(item.arguments, item.arguments),
    result: hasResult
      ? { content: [{ type: 'text', text }], structured_content: structured ? parsedOr(text, null) : null }
      : null,
    error: status === 'failed' && error !== undefined ? { message: error } : null,
    status: status === 'running' ? 'in_progress' : status,
  };
}

const CALL_ERROR = 'tool call error: ';

function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

function toWebSearch({ query, action }: WebSearchItem, id: string): ExecItem {
  return {
    id,
    type: 'web_search',
    query,
    action: action ?? (query === '' ? { type: 'other' } : { type: 'search', query }),
  };
}

function toTodo({ step, status }: PlanStep) {
  return { text: step, completed: status === 'completed' };
}

function toCommandExecution(item: CommandItem, id: string): ExecItem {
  return {
    id,
    type: 'command_execution',
    command: quoteForCodex(item.argv),
    aggregated_output: item.output,
    exit_code: item.exitCode,
    status: item.status === 'running' ? 'in_progress' : item.status,
  };
}

function toExecUsage(usage: Usage): ExecUsage {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
  };
}
