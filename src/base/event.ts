import type { Action, PlanStep } from './action.ts';
import type { FailureKind, ModelErrorCode, Remedy } from './errors.ts';
import type { QueuedInput } from './input.ts';
import type { ContentPart } from './item.ts';
import type { Ledger, RequestLedger } from './ledger.ts';
import type { ApprovalScope } from './policy.ts';
import type { PrefixCause } from './prefix-cause.ts';
import type { Repair } from './repair.ts';
import type { Usage } from './usage.ts';

/**
 * What happens in a thread, for whoever watches. Every surface (JSON lines, terminal, MCP) is a projection of this.
 * `v` changes when a field's meaning does; new types and fields may appear without it. `seq` counts from 1 in a thread
 * object's life, without gaps.
 */
export type Event = EventBody & {
  readonly v: 1;
  readonly seq: number;
  readonly threadId: string;
  /** Null outside turns. */
  readonly turnId: string | null;
};

export type EventBody =
  | { readonly type: 'thread.started' }
  | { readonly type: 'turn.started' }
  | { readonly type: 'item.started'; readonly item: ThreadItem }
  | { readonly type: 'item.updated'; readonly item: ThreadItem }
  | { readonly type: 'item.completed'; readonly item: ThreadItem }
  /** An item that was started came to nothing: its response broke off and is asked for again, or it holds nothing to see. */
  | { readonly type: 'item.dropped'; readonly itemId: string }
  | { readonly type: 'text.delta'; readonly itemId: string; readonly delta: string }
  | {
      readonly type: 'reasoning.delta';
      readonly itemId: string;
      readonly kind: 'summary' | 'raw';
      readonly delta: string;
    }
  | { readonly type: 'reasoning.section'; readonly itemId: string }
  /** What a command prints, as it arrives; bounded, the item has the rest. */
  | { readonly type: 'command.output'; readonly itemId: string; readonly text: string }
  | { readonly type: 'ask.opened'; readonly ask: Ask }
  | ({ readonly type: 'ask.answered'; readonly askId: string } & GivenAnswer)
  /** A request is sent again: one that got no answer, or one whose response broke off. */
  | {
      readonly type: 'retry';
      readonly of: 'request' | 'response';
      readonly attempt: number;
      readonly max: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /** Something broken was repaired: which repair, where, and what was there before. */
  | ({ readonly type: 'repair' } & Repair)
  /** A frame of the response, counted from 1, brought the beginning of so many calls. */
  | { readonly type: 'calls.received'; readonly frame: number; readonly calls: number }
  | { readonly type: 'warning'; readonly message: string }
  | ({ readonly type: 'request.ended'; readonly request: number } & RequestLedger)
  /** A call begins to run. Those that are refused or make no sense end without. */
  | {
      readonly type: 'call.started';
      readonly callId: string;
      readonly name: string;
      /** Whether it may change anything. */
      readonly mutating: boolean;
    }
  /** What a tool says of how far it is. */
  | { readonly type: 'call.progress'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'call.ended';
      readonly callId: string;
      readonly name: string;
      readonly durationMs: number;
      readonly success: boolean;
      readonly failure: FailureKind | null;
      /** Whether it may have changed anything, had it run. What cannot be understood counts as if. */
      readonly mutating: boolean;
      /** The beginning of the output. */
      readonly preview: string;
    }
  /** What the turn's patches have changed so far, as one git diff; empty when they undid each other. */
  | { readonly type: 'turn.diff'; readonly diff: string }
  /** After each response: its tokens, and the thread's so far. */
  | { readonly type: 'usage'; readonly response: Usage | null; readonly thread: Usage }
  /** The history was replaced by a shorter one. Tokens are estimates. */
  | { readonly type: 'compacted'; readonly reason: CompactionReason; readonly before: number; readonly after: number }
  | { readonly type: 'prefix.changed'; readonly cause: PrefixCause }
  /** What waits for the next request. */
  | { readonly type: 'queue.changed'; readonly queue: readonly QueuedInput[] }
  /** The last turns were taken back. */
  | { readonly type: 'thread.rolled_back'; readonly turns: number }
  /** Queued input went into the history. */
  | { readonly type: 'input.taken'; readonly id: string; readonly content: readonly ContentPart[] }
  | { readonly type: 'turn.completed'; readonly usage: Usage; readonly finalResponse: string }
  /** Before the event that ends the turn. */
  | { readonly type: 'turn.ledger'; readonly ledger: Ledger }
  | { readonly type: 'turn.failed'; readonly error: TurnError }
  | { readonly type: 'turn.aborted'; readonly reason: 'interrupted' };

/** `limit`: it had grown to the set size; `overflow`: a server said that it does not fit; `asked`: somebody wanted it. */
export type CompactionReason = 'limit' | 'overflow' | 'asked';

/**
 * Why a turn failed. `limit`: one of the run's own limits was reached. `lost`: another owner has taken the thread.
 * `internal`: a bug of ours.
 */
export interface TurnError {
  readonly code: ModelErrorCode | 'limit' | 'lost' | 'internal';
  readonly message: string;
  /** The limit that was reached, for that code. */
  readonly limit?: RunLimit;
  /** A way out, where one is known. */
  readonly remedy?: Remedy;
}

/** A limit of a run, as it was set. */
export interface RunLimit {
  readonly kind: 'requests' | 'tokens' | 'cost' | 'time';
  /** A number of requests or tokens, US dollars, or milliseconds. */
  readonly value: number;
}

/** What a turn did, as people see it. The id is stable from started to completed. */
export type ThreadItem =
  | UserMessageItem
  | AgentMessageItem
  | ReasoningTextItem
  | CommandItem
  | FileChangeItem
  | WebSearchItem
  | PlanItem
  | ToolCallItem;

export interface UserMessageItem {
  readonly type: 'user_message';
  readonly id: string;
  readonly text: string;
  /** How many images came with the text. */
  readonly images: number;
}

export interface AgentMessageItem {
  readonly type: 'agent_message';
  readonly id: string;
  readonly text: string;
}

export interface ReasoningTextItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly text: string;
}

/** A process. It completes when the process ends, which may be after the call was answered, or after the turn. */
export interface CommandItem {
  readonly type: 'command';
  readonly id: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly output: string;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  /** `declined`: the policy or the user said no, it never started. */
  readonly status: 'running' | 'completed' | 'failed' | 'declined';
}

/** A patch. */
export interface FileChangeItem {
  readonly type: 'file_change';
  readonly id: string;
  readonly changes: readonly ShownChange[];
  readonly status: 'running' | 'completed' | 'failed' | 'declined';
}

export interface ShownChange {
  readonly kind: 'add' | 'update' | 'delete';
  /** Absolute. */
  readonly path: string;
  /** Where the file went, when it moved. */
  readonly to?: string;
  readonly diff: string;
}

/** A search on the web, by the server or by a command. */
export interface WebSearchItem {
  readonly type: 'web_search';
  readonly id: string;
  readonly query: string;
  /** What a server says that it did, as it came. */
  readonly action?: Readonly<Record<string, unknown>>;
  readonly status: 'running' | 'completed' | 'failed';
}

/** The plan of a turn, as it stands. Completed when the turn ends. */
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
  /** As the model wrote them: JSON, or the free text of a custom tool. */
  readonly arguments: string;
  /** The text that the model got; null while it runs. */
  readonly output: string | null;
  readonly status: 'running' | 'completed' | 'failed';
  readonly durationMs: number | null;
  readonly failure: FailureKind | null;
}

/** A question to the user: may this happen? */
export interface Ask {
  readonly id: string;
  readonly callId: string;
  /** What would be done. */
  readonly action: Action;
  /** The words of a command; empty for other actions. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly reason: string;
  /** Whether it would run in the sandbox. */
  readonly sandboxed: boolean;
  /** What a yes may cover, the one time first. */
  readonly scopes: readonly OfferedScope[];
}

export interface OfferedScope {
  readonly scope: ApprovalScope;
  /** A sentence: what a yes of this scope does. */
  readonly effect: string;
}

/** `approved` and `denied` are short for a yes to this one time and for a no without a word. */
export type Answer =
  | 'approved'
  | 'denied'
  /** `scope`: one of those that were offered; without it, once. */
  | { readonly type: 'approve'; readonly scope?: ApprovalScope }
  /** The turn goes on; the message is for the model. */
  | { readonly type: 'decline'; readonly message?: string }
  /** A no that interrupts the turn. */
  | { readonly type: 'abort' }
  /** Do this instead: an action of the same kind. It is decided upon like any other, and the model is told. */
  | { readonly type: 'edit'; readonly action: Action };

/** An answer as it stands in events and logs. */
export interface GivenAnswer {
  readonly answer: 'approved' | 'denied' | 'aborted' | 'edited';
  /** Of a yes that covers more than the one time. */
  readonly scope?: ApprovalScope;
  readonly message?: string;
  /** What is to be done instead. */
  readonly action?: Action;
}
