import type { Action } from './action.ts';
import type { FailureKind } from './errors.ts';
import type { Ask, CommandItem, GivenAnswer, RunLimit, ThreadItem } from './event.ts';
import type { QueuedInput } from './input.ts';
import type { CallOutputItem, ContentPart, Item } from './item.ts';
import type { PrefixCause } from './prefix-cause.ts';
import type { Repair } from './repair.ts';
import type { ToolPayload } from './tool.ts';

/**
 * One line of a thread's log. The `oxbow` lines are ours, and Codex skips them; all other lines are those of Codex. The
 * state of a thread is a fold over these lines: facts that are not in a line are lost with a restart.
 */
export type LogLine =
  | { readonly type: 'session_meta'; readonly payload: SessionMeta }
  | { readonly type: 'turn_context'; readonly payload: TurnContext }
  | { readonly type: 'response_item'; readonly payload: Item; readonly metadata?: ItemMetadata }
  | { readonly type: 'event_msg'; readonly payload: EventMessage }
  | { readonly type: 'compacted'; readonly payload: Compacted }
  | { readonly type: 'oxbow'; readonly payload: OxbowLine };

/** The first line of a thread. */
export interface SessionMeta {
  readonly id: string;
  readonly session_id: string;
  /** The thread whose turns this thread begins with. */
  readonly forked_from_id?: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly originator: string;
  readonly cli_version: string;
  readonly source: string;
  readonly model_provider: string;
  /** Absent in threads of older programs. */
  readonly base_instructions?: { readonly text: string };
  readonly history_mode: 'legacy';
  /** Format of our own lines; see `ROLLOUT_FORMAT`. Absent in threads that another program began. */
  readonly oxbow_format?: number;
  /** Texts of the embedding program about the thread, for lists. */
  readonly oxbow_metadata?: Readonly<Record<string, string>>;
}

/**
 * Format of the lines that we add to those of Codex. The number is raised when an older reader would misread the lines.
 * Lines that an older reader may skip do not need a new number.
 */
export const ROLLOUT_FORMAT = 1;

/** Settings of a turn. */
export interface TurnContext {
  readonly turn_id: string;
  readonly cwd: string;
  /** A name, or a table with `granular`. */
  readonly approval_policy: string | Readonly<Record<string, unknown>>;
  readonly sandbox_policy: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The provider, if it is not the one that the thread began with. */
  readonly model_provider?: string;
  readonly effort?: string;
  readonly summary: string;
  /** Variable, file or program that the key of the turn's requests comes from. An account is known by its file. */
  readonly oxbow_key_from?: string;
}

/** A compaction: its history replaces the whole history before it. Older programs wrote only the summary. */
export interface Compacted {
  readonly message: string;
  readonly replacement_history?: readonly Item[];
}

/** Metadata of an item. For an output, it says how the call went. */
export interface ItemMetadata extends Partial<OutputMetadata> {
  /**
   * Id of queued input. On a user's message, this one line takes the input off the queue and adds it to the history.
   */
  readonly queued?: string;
  /** Id of a command of the user's own. This one line tells the model of it and takes it off the commands to tell. */
  readonly command?: string;
}

/** Outcome of a call. The model sees only the output of the call. */
export interface OutputMetadata {
  readonly success: boolean;
  readonly duration_ms: number;
  readonly failure?: FailureKind;
  /** The MCP server and its tool that were called. */
  readonly mcp_server?: string;
  readonly mcp_tool?: string;
  /** Present if the output is the structured content of that server, as JSON. */
  readonly mcp_structured?: true;
}

/** A line about something that happened, in the shape of Codex. */
export type EventMessage =
  | { readonly type: 'task_started'; readonly turn_id: string }
  | { readonly type: 'user_message'; readonly message: string }
  | { readonly type: 'token_count'; readonly info: TokenInfo }
  | { readonly type: 'task_complete'; readonly turn_id: string; readonly last_agent_message: string | null }
  /** The last turns were removed from the history. */
  | { readonly type: 'thread_rolled_back'; readonly num_turns: number }
  | { readonly type: 'turn_aborted'; readonly turn_id: string; readonly reason: 'interrupted' };

/** Tokens of the thread and of its last response. */
export interface TokenInfo {
  readonly total_token_usage: TokenCounts;
  readonly last_token_usage: TokenCounts;
}

/** Tokens, in the shape of Codex. */
export interface TokenCounts {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens?: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
  readonly total_tokens: number;
}

/** A line that only Oxbow writes. Codex skips it. */
export type OxbowLine =
  /** Written before a call has any effect. A call without this line never began. */
  | {
      readonly kind: 'call.started';
      readonly call_id: string;
      /** The call changes nothing, so it may be repeated if its outcome is unknown. */
      readonly read_only?: true;
      /** The call runs outside the sandbox of the policy. */
      readonly outside?: true;
      /** Arguments that the embedding program put in the place of the model's. */
      readonly arguments?: string;
    }
  /** Written when a call ends before it is its output's turn to go into the history. */
  | { readonly kind: 'call.finished'; readonly output: CallOutputItem; readonly metadata: OutputMetadata }
  | {
      readonly kind: 'request.started';
      readonly request: number;
      readonly attempt: number;
      /** Digest of the history that is sent, to check the history later. */
      readonly digest?: string;
      /** The request asks for a summary. Its answer is not an item of the history. */
      readonly purpose?: 'summary';
    }
  | ({ readonly kind: 'request.ended'; readonly request: number } & RequestRecord)
  /** Costs of a message that the model wrote for an MCP server during a call. The message is not part of the history. */
  | ({ readonly kind: 'call.sampled'; readonly call_id: string } & RequestRecord)
  /** The next request does not begin with the bytes of the one before, and why. */
  | {
      readonly kind: 'prefix.changed';
      readonly cause: PrefixCause;
      /** New base instructions, if they changed. */
      readonly instructions?: string;
      /** Digest of the tools that are offered from now on, if they changed. */
      readonly tools?: string;
    }
  /** Input that came while a turn was running, or that a turn left over. */
  | { readonly kind: 'input.queued'; readonly id: string; readonly content: readonly ContentPart[] }
  | { readonly kind: 'input.edited'; readonly id: string; readonly content: readonly ContentPart[] }
  | { readonly kind: 'input.removed'; readonly id: string }
  | UserCommandLine
  /**
   * All of the state besides the history. Stands directly before a `compacted` line, so that a reader can begin here.
   */
  | ({
      readonly kind: 'checkpoint';
      /** Maximum number of tokens of the user's messages that are kept. */
      readonly kept_tokens?: number;
    } & Checkpoint)
  /**
   * Snapshot of the workspace before the turn changed anything. `tree` is null without a snapshot, and `reason` says
   * why.
   */
  | { readonly kind: 'snapshot'; readonly turn_id: string; readonly tree: string | null; readonly reason?: string }
  /** A shown item that no other line contains. The last line for an id counts. */
  | { readonly kind: 'item'; readonly turn_id: string; readonly call_id?: string; readonly item: ThreadItem }
  /** The final answer does not fit the schema that was asked for. It is asked for again, or the turn fails. */
  | { readonly kind: 'output.refused'; readonly turn_id: string; readonly faults: readonly string[] }
  | ({ readonly kind: 'repair'; readonly call_id: string | null } & Omit<Repair, 'callId'>)
  | {
      readonly kind: 'ask.opened';
      readonly call_id: string;
      readonly action: Action;
      readonly reason: string;
      readonly sandboxed: boolean;
    }
  | ({ readonly kind: 'ask.answered'; readonly call_id: string } & GivenAnswer)
  /** The question of a call stays open, and the call does not start. `call` is the kind of the call. */
  | ({ readonly kind: 'ask.suspended'; readonly call_id: string; readonly call: ToolPayload['kind'] } & SuspendedAsk)
  /** The turn ends with open questions. */
  | { readonly kind: 'turn.suspended'; readonly turn_id: string }
  /** The turn begins with the answer to an open question of the turn before, instead of input. */
  | { readonly kind: 'turn.continued'; readonly turn_id: string; readonly ask_id: string }
  | {
      readonly kind: 'turn.failed';
      readonly turn_id: string;
      readonly code: string;
      readonly message: string;
      /** The limit that was reached. Older versions wrote this and the following facts into the message only. */
      readonly limit?: RunLimit;
      /** The server's word for why the response was cut off. */
      readonly cut_off?: string;
      /** Message of the error that `message` explains. */
      readonly said?: string;
    };

/** A line about a command that the user runs. It belongs to no call, and `turn_id` is null outside turns. */
export type UserCommandLine =
  /** Written before the command has any effect. */
  | {
      readonly kind: 'command.started';
      readonly id: string;
      readonly turn_id: string | null;
      readonly item: CommandItem;
    }
  /** The command has ended, or was refused. The model gets the text before its next request. */
  | {
      readonly kind: 'command.ended';
      readonly id: string;
      readonly turn_id: string | null;
      readonly item: CommandItem;
      /** Absent if the command never ran. */
      readonly text?: string;
    };

/** An open question, with all that is needed to ask it again. */
export interface SuspendedAsk {
  readonly ask: Ask;
  /** The user has put the action in the place of the one that the call planned. */
  readonly edited?: true;
}

/** Costs of one request. A value that was not counted is absent. */
export interface RequestRecord {
  readonly ms: number;
  readonly error?: string;
  readonly model?: string;
  /** Usage that the server reported, or null if it did not. */
  readonly usage?: TokenCounts | null;
  /** In US dollars, or null if the price is unknown. */
  readonly cost?: number | null;
  /** Cost that a limit on the cost counted instead of an unknown cost. */
  readonly counted_cost?: number;
  /** Number of times the request was sent again before an answer came. */
  readonly retries?: number;
  readonly repairs?: number;
  readonly sent_bytes?: number;
  readonly received_bytes?: number;
}

/** The state of a thread, so that a reader need not start at the first line. */
export interface Checkpoint {
  readonly turns: number;
  readonly requests: number;
  readonly usage: TokenCounts;
  readonly queue: readonly QueuedInput[];
  /** Commands of the user that the model has not got yet. Absent if there are none. */
  readonly commands?: readonly UntoldCommand[];
  readonly instructions: string | null;
  readonly tools: string | null;
}

/** A command of the user that the model has not got yet. */
export interface UntoldCommand {
  readonly id: string;
  readonly turn_id: string | null;
  /** The command as it began. */
  readonly item: CommandItem;
  /** Text for the model, or null while the command runs. */
  readonly text: string | null;
}

/**
 * The log of a thread that belongs to this owner. Only a `ThreadStore` makes one, for a thread that is new or was
 * taken.
 */
export interface Log {
  /** Name of the log for a person: the path of its file, or another way to find it. */
  readonly label: string;
  /** Path of its file, or null if the log is not a file. */
  readonly path: string | null;
  /** Whether its lines outlive this process. */
  readonly durable: boolean;
  /**
   * Whether an append is slow, so that lines which nothing depends on yet should not be waited for. False for a log
   * that writes at once.
   */
  readonly pipelined: boolean;
  /** Aborts with `LostThread` as its reason when this process learns that another owner has taken the thread. */
  readonly lost: AbortSignal;
  /**
   * Appends all of the lines or none, even if this process or the machine dies meanwhile. The lines are kept once the
   * promise resolves.
   *
   * Calls may overlap. Lines are kept, and promises settle, in the order of the calls. If a call fails, the calls made
   * before its failure was known fail too.
   *
   * Throws `LostThread` if another owner has taken the thread, and keeps throwing it. Throws `UserError` if the lines
   * cannot be kept.
   */
  append(lines: readonly LogLine[]): Promise<void>;
  /** Frees resources that only frequent appends need, such as an open file. The next append opens them again. */
  rest(): void;
  /** Releases the thread. Waits for appends that are under way. */
  close(): Promise<void>;
}
