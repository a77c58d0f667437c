import type { Action, PlanStep } from './action.ts';
import type { FailureKind, ModelErrorCode, Remedy } from './errors.ts';
import type { QueuedInput } from './input.ts';
import type { ContentPart } from './item.ts';
import type { Ledger, RequestLedger } from './ledger.ts';
import type { McpServerState } from './mcp-state.ts';
import type { ApprovalScope, RefusalCause } from './policy.ts';
import type { PrefixCause } from './prefix-cause.ts';
import type { Repair } from './repair.ts';
import type { Usage } from './usage.ts';
import type { UsageLimits } from './usage-limits.ts';

/**
 * An event is something that happens in a thread. Every surface (JSON lines, terminal, MCP) is a projection of events.
 * `v` changes when the meaning of a field does; new types and fields may appear without it. `seq` counts the events of
 * a thread object from 1, without gaps.
 */
export type Event = EventBody & {
  readonly v: 1;
  readonly seq: number;
  readonly threadId: string;
  /** The turn, or null outside turns. */
  readonly turnId: string | null;
};

/** An event without the fields that all events have. */
export type EventBody =
  | { readonly type: 'thread.started' }
  | { readonly type: 'turn.started' }
  | { readonly type: 'item.started'; readonly item: ThreadItem }
  | { readonly type: 'item.updated'; readonly item: ThreadItem }
  | { readonly type: 'item.completed'; readonly item: ThreadItem }
  /** A started item is dropped. Its response broke off and is requested again, or the item has nothing to show. */
  | { readonly type: 'item.dropped'; readonly itemId: string }
  | { readonly type: 'text.delta'; readonly itemId: string; readonly delta: string }
  | {
      readonly type: 'reasoning.delta';
      readonly itemId: string;
      readonly kind: 'summary' | 'raw';
      readonly delta: string;
    }
  | { readonly type: 'reasoning.section'; readonly itemId: string }
  /** Output of a command as it arrives. It is bounded; the completed item has the rest. */
  | { readonly type: 'command.output'; readonly itemId: string; readonly text: string }
  | { readonly type: 'ask.opened'; readonly ask: Ask }
  | ({ readonly type: 'ask.answered'; readonly askId: string } & GivenAnswer)
  /** A request is sent again, because it got no answer or its response broke off. */
  | {
      readonly type: 'retry';
      readonly of: 'request' | 'response';
      readonly attempt: number;
      readonly max: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /** A request has waited for a second for the agent's limiter, and goes on waiting. */
  | { readonly type: 'request.waiting' }
  /** The server has reported the limits of the account. */
  | ({ readonly type: 'usage.limits' } & UsageLimits)
  /** The usage limit of the account is reached, and the turn waits for its end, in milliseconds since 1970. */
  | { readonly type: 'usage.waiting'; readonly until: number }
  /** Something broken was repaired: which repair, where, and what was there before. */
  | ({ readonly type: 'repair' } & Repair)
  /** A frame of the response, counted from 1, contained the beginning of this number of calls. */
  | { readonly type: 'calls.received'; readonly frame: number; readonly calls: number }
  | ({ readonly type: 'warning' } & Warning)
  | ({ readonly type: 'request.ended'; readonly request: number } & RequestLedger)
  /** A call begins to run. Calls that are refused or make no sense end without this event. */
  | {
      readonly type: 'call.started';
      readonly callId: string;
      readonly name: string;
      /** Whether the call may change anything. */
      readonly mutating: boolean;
    }
  /** Progress of a call, in the words of its tool. */
  | { readonly type: 'call.progress'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'call.ended';
      readonly callId: string;
      readonly name: string;
      readonly durationMs: number;
      readonly success: boolean;
      readonly failure: FailureKind | null;
      /** Whether the call may have changed anything if it ran. True for a call that could not be understood. */
      readonly mutating: boolean;
      /** Beginning of the output. */
      readonly preview: string;
    }
  /** Net change of the turn's patches so far, as one git diff. Empty if they undid each other. */
  | { readonly type: 'turn.diff'; readonly diff: string }
  /** Tokens of the response that just ended, and of the thread so far. */
  | { readonly type: 'usage'; readonly response: Usage | null; readonly thread: Usage }
  /** The part of the model's window that is in use. After each response, after a compaction and when a thread is resumed. */
  | ({ readonly type: 'context' } & ContextUse)
  /** The history was replaced by a shorter one. Token counts are estimates. */
  | { readonly type: 'compacted'; readonly reason: CompactionReason; readonly before: number; readonly after: number }
  | { readonly type: 'prefix.changed'; readonly cause: PrefixCause }
  /** The state of an MCP server of the agent has changed, or its tools have. All of them are reported when a thread begins. */
  | ({ readonly type: 'mcp.state' } & McpServerState)
  /** A line of the log of an MCP server, of the level `warning` or above. */
  | { readonly type: 'mcp.log'; readonly server: string; readonly level: string; readonly message: string }
  /** The terminals that calls left running. One has been left, or has ended. */
  | { readonly type: 'terminals.changed'; readonly terminals: readonly RunningTerminal[] }
  /** The input that now waits for the next request. */
  | { readonly type: 'queue.changed'; readonly queue: readonly QueuedInput[] }
  /** The last turns were removed from the history. */
  | { readonly type: 'thread.rolled_back'; readonly turns: number }
  /** Queued input went into the history. */
  | { readonly type: 'input.taken'; readonly id: string; readonly content: readonly ContentPart[] }
  /** The final answer does not fit its schema. It is asked for again, or the turn fails. */
  | { readonly type: 'output.refused'; readonly faults: readonly string[] }
  | { readonly type: 'turn.completed'; readonly usage: Usage; readonly finalResponse: string }
  /** Sent before the event that ends the turn. */
  | { readonly type: 'turn.ledger'; readonly ledger: Ledger }
  | { readonly type: 'turn.failed'; readonly error: TurnError }
  | { readonly type: 'turn.aborted'; readonly reason: 'interrupted' }
  /** The turn ends here and goes on with the answers to its open questions. */
  | { readonly type: 'turn.suspended'; readonly asks: readonly Ask[] };

/** The part of a model's window that a thread takes. */
export interface ContextUse {
  /** Tokens that the next request would send: the last count of the server, and an estimate of everything since. */
  readonly usedTokens: number;
  /** Tokens of the model's window. Null if they are not known. */
  readonly window: number | null;
  /**
   * Part of the window that is left, in percent, as Codex shows it: of 95 % of the window, without the 12,000 tokens
   * that every thread begins with. Null if the window is not known.
   */
  readonly percentLeft: number | null;
}

/** Something that the user or the programmer should know. Nothing failed because of it. */
export interface Warning {
  /** Kind of the warning, for programs. */
  readonly code: WarningCode;
  /** Sentence for people. */
  readonly message: string;
  /** Model that is used although no setting names it. */
  readonly model?: string;
}

/**
 * The kind of a warning. `callback`: a function of the embedding program threw. `commands`: sandbox, shell or processes.
 * `config`: a setting has no effect. `diff`: changes of files cannot be shown. `mcp`: an MCP server. `model`: the server or its model.
 * `prompt`: a file for the prompt. `rules`: a rules file or the decision of a rule. `snapshot`: no snapshot was taken. `thread`: damage or doubt about the thread's own lines.
 */
export type WarningCode =
  | 'callback'
  | 'commands'
  | 'config'
  | 'diff'
  | 'mcp'
  | 'model'
  | 'prompt'
  | 'rules'
  | 'snapshot'
  | 'thread';

/**
 * The reason for a compaction. `limit`: the history reached the configured size. `overflow`: a server said that the
 * history does not fit. `asked`: the user asked for it.
 */
export type CompactionReason = 'limit' | 'overflow' | 'asked';

/**
 * The reason why a turn failed. `limit`: the turn reached one of its own limits. `lost`: another owner has taken the
 * thread. `output_invalid`: the final answer does not fit the output schema. `internal`: a bug in this program.
 */
export interface TurnError {
  /** Kind of the failure, for programs. */
  readonly code: ModelErrorCode | 'limit' | 'lost' | 'output_invalid' | 'internal';
  /** Sentence for people. */
  readonly message: string;
  /** The limit that was reached, for the code `limit`. */
  readonly limit?: RunLimit;
  /** A way out, if one is known. */
  readonly remedy?: Remedy;
  /** Message of Codex about this failure, where ours does not begin with it. Bounded and without secrets. */
  readonly codexMessage?: string;
  /** Time when the usage limit ends, in milliseconds since 1970, for the code `usage_limit_reached`. */
  readonly resetsAt?: number;
}

/** A limit of a run, as it was set. */
export interface RunLimit {
  readonly kind: 'requests' | 'tokens' | 'cost' | 'time';
  /** Requests, tokens, US dollars or milliseconds. */
  readonly value: number;
}

/** An item of a turn as people see it. Its id is the same from `item.started` to `item.completed`. */
export type ThreadItem =
  | UserMessageItem
  | AgentMessageItem
  | ReasoningTextItem
  | CommandItem
  | FileChangeItem
  | WebSearchItem
  | PlanItem
  | ToolCallItem;

/** Input of the user. */
export interface UserMessageItem {
  readonly type: 'user_message';
  readonly id: string;
  readonly text: string;
  /** Number of images that came with the text. */
  readonly images: number;
}

/** A text of the model. */
export interface AgentMessageItem {
  readonly type: 'agent_message';
  readonly id: string;
  readonly text: string;
}

/** Reasoning of the model, as far as the server shows it. */
export interface ReasoningTextItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly text: string;
}

/** A process. The item completes when the process ends, which may be after the call was answered or after the turn. */
export interface CommandItem {
  readonly type: 'command';
  readonly id: string;
  /** The program and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Output and errors together. */
  readonly output: string;
  /** Null while the command runs, and for a command that never started. */
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  /** `declined`: the policy or the user refused the command, and it never started. */
  readonly status: 'running' | 'completed' | 'failed' | 'declined';
  /** Why the command was declined. Also there if the command failed and the sandbox is probably why. */
  readonly reason?: ItemReason;
  /** Present if the user ran the command, not the model. */
  readonly by?: 'user';
}

/** A process that a call of the model left running. */
export interface RunningTerminal {
  /** Number by which the model knows it. */
  readonly id: number;
  /** Id of the `command` item. */
  readonly itemId: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Time of its start, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether it runs in a sandbox. */
  readonly sandboxed: boolean;
}

/** A patch. */
export interface FileChangeItem {
  readonly type: 'file_change';
  readonly id: string;
  readonly changes: readonly ShownChange[];
  readonly status: 'running' | 'completed' | 'failed' | 'declined';
  /** Why the patch was declined or failed. */
  readonly reason?: ItemReason;
}

/** The reason why a command or a patch did not do its work. */
export interface ItemReason {
  /** Kind of the reason, for programs. */
  readonly cause: RefusalCause;
  /** Text about it that was written for the model. */
  readonly message: string;
}

/** A change of one file. */
export interface ShownChange {
  readonly kind: 'add' | 'update' | 'delete';
  /** Absolute path. */
  readonly path: string;
  /** Destination of a file that moved. */
  readonly to?: string;
  readonly diff: string;
}

/** A search on the web, by the server or by a command. */
export interface WebSearchItem {
  readonly type: 'web_search';
  readonly id: string;
  readonly query: string;
  /** The action that a server reports for its search, unchanged. */
  readonly action?: Readonly<Record<string, unknown>>;
  readonly status: 'running' | 'completed' | 'failed';
}

/** The current plan of a turn. Completed when the turn ends. */
export interface PlanItem {
  readonly type: 'plan';
  readonly id: string;
  readonly explanation: string | null;
  readonly steps: readonly PlanStep[];
}

/** A call that is not a command, a patch, a plan or a search. Long texts lose their middle. */
export interface ToolCallItem {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
  /** Arguments as the model wrote them: JSON, or the free text of a custom tool. */
  readonly arguments: string;
  /** The text that the model got, or null while the call runs. */
  readonly output: string | null;
  readonly status: 'running' | 'completed' | 'failed';
  readonly durationMs: number | null;
  readonly failure: FailureKind | null;
  /** The MCP server and its tool, if the call is of one. */
  readonly mcp?: {
    readonly server: string;
    readonly tool: string;
    /** Present if the output is structured content, as JSON. */
    readonly structured?: true;
  };
}

/** A question to the user: may this action happen? */
export interface Ask {
  readonly id: string;
  /** Call that the action belongs to. */
  readonly callId: string;
  /** The action in question. */
  readonly action: Action;
  /** Words of a command. Empty for other actions. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /**
   * The action as a text to show: the words of a command, the files of a patch, a tool and its input. As in `reason` and
   * `effect`, a character that a person cannot see stands as `\u{202E}`.
   */
  readonly shown: string;
  /** Why the user is asked, in part in the words of the model. One line. */
  readonly reason: string;
  /** Whether the action would run in the sandbox. */
  readonly sandboxed: boolean;
  /** Scopes that an approval may have, `once` first. */
  readonly scopes: readonly OfferedScope[];
}

/** A scope that an approval may have. */
export interface OfferedScope {
  /** Scope for the answer. */
  readonly scope: ApprovalScope;
  /** A sentence that says what an approval of this scope does. */
  readonly effect: string;
}

/** The answer to a question. `approved` approves once, `denied` declines without a message. */
export type Answer =
  | 'approved'
  | 'denied'
  /**
   * `scope` is one of the offered scopes, by default `once`. `content` has the fields of the form that an MCP server
   * asks for.
   */
  | {
      readonly type: 'approve';
      readonly scope?: ApprovalScope;
      readonly content?: Readonly<Record<string, unknown>>;
    }
  /** Declines, and the turn goes on. The message is for the model. */
  | { readonly type: 'decline'; readonly message?: string }
  /** Declines, and interrupts the turn. */
  | { readonly type: 'abort' }
  /**
   * Replaces the action by another one of the same kind. The policy decides about it like about any other, and the
   * model learns of the change.
   */
  | { readonly type: 'edit'; readonly action: Action }
  /** Leaves the question open. The turn ends as suspended and goes on with `thread.answer`, in another process too. */
  | { readonly type: 'suspend' };

/** An answer as events and logs contain it. */
export interface GivenAnswer {
  readonly answer: 'approved' | 'denied' | 'aborted' | 'edited';
  /** Scope of an approval that covers more than one time. */
  readonly scope?: ApprovalScope;
  readonly message?: string;
  /** The action that replaces the one in question. */
  readonly action?: Action;
}
