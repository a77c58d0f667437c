import type { Action } from './action.ts';
import type { FailureKind } from './errors.ts';
import type { GivenAnswer, RunLimit, ThreadItem } from './event.ts';
import type { QueuedInput } from './input.ts';
import type { CallOutputItem, ContentPart, Item } from './item.ts';
import type { PrefixCause } from './prefix-cause.ts';
import type { Repair } from './repair.ts';

/**
 * One line of a thread's log. All but the `oxbow` lines are Codex's own; those are ours, and Codex skips them.
 * A thread's state is a fold over these lines: what is not in a line cannot be known after a restart.
 */
export type LogLine =
  | { readonly type: 'session_meta'; readonly payload: SessionMeta }
  | { readonly type: 'turn_context'; readonly payload: TurnContext }
  | { readonly type: 'response_item'; readonly payload: Item; readonly metadata?: ItemMetadata }
  | { readonly type: 'event_msg'; readonly payload: EventMessage }
  | { readonly type: 'compacted'; readonly payload: Compacted }
  | { readonly type: 'oxbow'; readonly payload: OxbowLine };

export interface SessionMeta {
  readonly id: string;
  readonly session_id: string;
  /** The thread whose turns this one begins with. */
  readonly forked_from_id?: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly originator: string;
  readonly cli_version: string;
  readonly source: string;
  readonly model_provider: string;
  /** Older programs did not write them. */
  readonly base_instructions?: { readonly text: string };
  readonly history_mode: 'legacy';
  /** Of our own lines; see `ROLLOUT_FORMAT`. Absent in threads that another program began. */
  readonly oxbow_format?: number;
}

/**
 * Of the lines that we add to those of Codex. A higher number says that whoever does not know it would misread them; what
 * may be skipped needs none.
 */
export const ROLLOUT_FORMAT = 1;

export interface TurnContext {
  readonly turn_id: string;
  readonly cwd: string;
  /** A name, or a table with `granular`. */
  readonly approval_policy: string | Readonly<Record<string, unknown>>;
  readonly sandbox_policy: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** Where it is not the one that the thread began with. */
  readonly model_provider?: string;
  readonly effort?: string;
  readonly summary: string;
}

/** Everything before is replaced by this history. Older programs wrote the summary alone. */
export interface Compacted {
  readonly message: string;
  readonly replacement_history?: readonly Item[];
}

/** What stands beside an item: how it went, for an output. */
export interface ItemMetadata extends Partial<OutputMetadata> {
  /** On a user's message that was queued: this one line takes it off the queue and puts it into the history. */
  readonly queued?: string;
}

/** How a call went, beside its output, which is all that the model sees. */
export interface OutputMetadata {
  readonly success: boolean;
  readonly duration_ms: number;
  readonly failure?: FailureKind;
}

export type EventMessage =
  | { readonly type: 'task_started'; readonly turn_id: string }
  | { readonly type: 'user_message'; readonly message: string }
  | { readonly type: 'token_count'; readonly info: TokenInfo }
  | { readonly type: 'task_complete'; readonly turn_id: string; readonly last_agent_message: string | null }
  /** The last turns were taken back. */
  | { readonly type: 'thread_rolled_back'; readonly num_turns: number }
  | { readonly type: 'turn_aborted'; readonly turn_id: string; readonly reason: 'interrupted' };

export interface TokenInfo {
  readonly total_token_usage: TokenCounts;
  readonly last_token_usage: TokenCounts;
}

export interface TokenCounts {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens?: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
  readonly total_tokens: number;
}

export type OxbowLine =
  /** Written before a call has any effect. A call without it never began. */
  | {
      readonly kind: 'call.started';
      readonly call_id: string;
      /** It changes nothing: whoever does not know how it ended may repeat it. */
      readonly read_only?: true;
      /** It runs outside of the sandbox that the policy has. */
      readonly outside?: true;
    }
  /** Written when a call ends before its output can take its place in the history. */
  | { readonly kind: 'call.finished'; readonly output: CallOutputItem; readonly metadata: OutputMetadata }
  | {
      readonly kind: 'request.started';
      readonly request: number;
      readonly attempt: number;
      /** Of the history that is sent: which one it was can be checked later. */
      readonly digest?: string;
      /** It asks for a summary: what the model answers is no item of the history. */
      readonly purpose?: 'summary';
    }
  | ({ readonly kind: 'request.ended'; readonly request: number } & RequestRecord)
  /** The next request does not begin with the bytes of the one before, and why. */
  | {
      readonly kind: 'prefix.changed';
      readonly cause: PrefixCause;
      /** The base instructions from here on, where they are others. */
      readonly instructions?: string;
      /** Stands for the tools that are offered from here on, where they are others. */
      readonly tools?: string;
    }
  /** Input that came while a turn was running, or that one left over. */
  | { readonly kind: 'input.queued'; readonly id: string; readonly content: readonly ContentPart[] }
  | { readonly kind: 'input.edited'; readonly id: string; readonly content: readonly ContentPart[] }
  | { readonly kind: 'input.removed'; readonly id: string }
  /** Directly before a `compacted` line: all of the state that is no history, so that nothing before it must be read. */
  | ({
      readonly kind: 'checkpoint';
      /** How many tokens of what the user said are kept at most. */
      readonly kept_tokens?: number;
    } & Checkpoint)
  /** The workspace as it was before the turn changed anything; `tree` is null where it was not kept, for this reason. */
  | { readonly kind: 'snapshot'; readonly turn_id: string; readonly tree: string | null; readonly reason?: string }
  /** An item as it was shown, where no other line tells it. The last one of an id counts. */
  | { readonly kind: 'item'; readonly turn_id: string; readonly call_id?: string; readonly item: ThreadItem }
  | ({ readonly kind: 'repair'; readonly call_id: string | null } & Omit<Repair, 'callId'>)
  | {
      readonly kind: 'ask.opened';
      readonly call_id: string;
      readonly action: Action;
      readonly reason: string;
      readonly sandboxed: boolean;
    }
  | ({ readonly kind: 'ask.answered'; readonly call_id: string } & GivenAnswer)
  | {
      readonly kind: 'turn.failed';
      readonly turn_id: string;
      readonly code: string;
      readonly message: string;
      /** The limit that was reached. Older versions wrote it into the message only, and so they did with the rest. */
      readonly limit?: RunLimit;
      /** Why the response was cut off, in the server's word. */
      readonly cut_off?: string;
      /** The message of the error that `message` explains. */
      readonly said?: string;
    };

/** What one request took. Absent is what nobody counted. */
export interface RequestRecord {
  readonly ms: number;
  readonly error?: string;
  readonly model?: string;
  /** Null: the server did not say. */
  readonly usage?: TokenCounts | null;
  /** In US dollars; null: the price is not known. */
  readonly cost?: number | null;
  /** What a limit on the cost counted instead, where that is not known. */
  readonly counted_cost?: number;
  /** How often it was sent again before an answer came. */
  readonly retries?: number;
  readonly repairs?: number;
  readonly sent_bytes?: number;
  readonly received_bytes?: number;
}

export interface Checkpoint {
  readonly turns: number;
  readonly requests: number;
  readonly usage: TokenCounts;
  readonly queue: readonly QueuedInput[];
  readonly instructions: string | null;
  readonly tools: string | null;
}

/**
 * The log of a thread that belongs to this owner. Only a `ThreadStore` makes one: it is new, or taken.
 */
export interface Log {
  /** Names the log to a person: the path of its file, or whatever else leads to it. */
  readonly label: string;
  /** The path of its file; null where it is not kept in one. */
  readonly path: string | null;
  /** Whether its lines are still there when this process has ended. */
  readonly durable: boolean;
  /**
   * Whether an append takes long enough that lines which nothing depends on yet should not be waited for. False for a log
   * that writes at once.
   */
  readonly pipelined: boolean;
  /** Aborts, with `LostThread` as its reason, when it is known that another owner has taken the thread. */
  readonly lost: AbortSignal;
  /**
   * Adds lines to the end: all of them or none, also when this process or the machine dies meanwhile. They are kept when the
   * promise resolves. Calls may overlap: lines are kept, and promises settle, in the order of the calls, and when one fails,
   * so do those that were called before that was known. Throws `LostThread` when another owner has taken the thread, and then
   * each time; `UserError` when the lines cannot be kept.
   */
  append(lines: readonly LogLine[]): Promise<void>;
  /** Frees what only frequent appends need, such as an open file. The next append opens it again. */
  rest(): void;
  /** Lets go of the thread. Appends that are under way are kept first. */
  close(): Promise<void>;
}
