import type { Action } from './action.ts';
import type { FailureKind } from './errors.ts';
import type { GivenAnswer } from './event.ts';
import type { CallOutputItem, Item } from './item.ts';
import type { Repair } from './repair.ts';

/**
 * One line of a thread's log. All but the `oxbow` lines are Codex's own; those are ours, and Codex skips them.
 * A thread's state is a fold over these lines: what is not in a line cannot be known after a restart.
 */
export type LogLine =
  | { readonly type: 'session_meta'; readonly payload: SessionMeta }
  | { readonly type: 'turn_context'; readonly payload: TurnContext }
  | { readonly type: 'response_item'; readonly payload: Item; readonly metadata?: OutputMetadata }
  | { readonly type: 'event_msg'; readonly payload: EventMessage }
  /** Everything before is replaced by this history. */
  | { readonly type: 'compacted'; readonly payload: { readonly replacement_history?: readonly Item[] } }
  | { readonly type: 'oxbow'; readonly payload: OxbowLine };

export interface SessionMeta {
  readonly id: string;
  readonly session_id: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly originator: string;
  readonly cli_version: string;
  readonly source: string;
  readonly model_provider: string;
  readonly base_instructions: { readonly text: string };
  readonly history_mode: 'legacy';
}

export interface TurnContext {
  readonly turn_id: string;
  readonly cwd: string;
  /** A name, or a table with `granular`. */
  readonly approval_policy: string | Readonly<Record<string, unknown>>;
  readonly sandbox_policy: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly effort?: string;
  readonly summary: string;
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
  /** The last turns were taken back. Codex writes it; we do not. */
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
  | { readonly kind: 'request.started'; readonly request: number; readonly attempt: number }
  | { readonly kind: 'request.ended'; readonly request: number; readonly ms: number; readonly error?: string }
  | ({ readonly kind: 'repair'; readonly call_id: string | null } & Omit<Repair, 'callId'>)
  | {
      readonly kind: 'ask.opened';
      readonly call_id: string;
      readonly action: Action;
      readonly reason: string;
      readonly sandboxed: boolean;
    }
  | ({ readonly kind: 'ask.answered'; readonly call_id: string } & GivenAnswer)
  | { readonly kind: 'turn.failed'; readonly turn_id: string; readonly code: string; readonly message: string };

/** A thread's log. Lines are kept in order, whole or not at all. */
export interface Log {
  /** The line is safe from a crash of this process when the promise resolves. */
  append(line: LogLine): Promise<void>;
  /** All lines from the first. A half-written last line is dropped. */
  read(): AsyncIterable<LogLine>;
  /** Where a person finds it; null where it is kept nowhere. */
  readonly path: string | null;
  close(): Promise<void>;
}
