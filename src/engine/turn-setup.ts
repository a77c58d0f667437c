import type { TextLimit } from '../base/bound-text.ts';
import type { GuardedHook } from '../base/call-hooks.ts';
import type { Environment, OutputKeeper, Terminal, WholeOutput } from '../base/environment.ts';
import type { Answer, Ask, CompactionReason, EventBody, PlanItem, RunningTerminal } from '../base/event.ts';
import type { CallItem, CallOutputItem, HistoryMessage, ReasoningItem } from '../base/item.ts';
import type { Lazy } from '../base/lazy.ts';
import type { Log, LogLine, OutputMetadata } from '../base/log.ts';
import type { Model, ModelRequest } from '../base/model.ts';
import type { Policy } from '../base/policy.ts';
import type { Section } from '../base/section.ts';
import type { ToolSnapshot, View } from '../base/tool.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import type { Usage } from '../base/usage.ts';
import type { World } from '../base/world.ts';
import type { Judge } from '../policy/judge.ts';
import type { PerformOptions } from './calls/perform-options.ts';
import type { GitDiff, TurnDiff } from './calls/turn-diff.ts';
import type { Limits } from './state/limits.ts';
import type { ThreadState } from './state/thread-state.ts';
import type { TurnLedger } from './turn/turn-ledger.ts';

/** The parts that live as long as a thread. All of them are made elsewhere and passed in. */
export interface ThreadSetup {
  readonly id: string;
  readonly world: World;
  readonly log: Log;
  readonly environment: Environment;
  /** Program that uses the agent, as servers and logs name it. */
  readonly originator: string;
  /** Surface that the thread was started from, as logs name it. */
  readonly source: string;
  readonly version: string;
  /** Texts of the embedding program for the first line of a new thread. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** History that a new thread begins with. */
  readonly history?: readonly HistoryMessage[] | undefined;
  /** Makes the parts of one turn. Throws `UserError` if the overrides make no sense. `signal` aborts with the turn. */
  turn(overrides: TurnOverrides, signal?: AbortSignal): Promise<TurnSetup>;
  /**
   * Makes the parts of a turn for a command that the user runs, which needs no approval. Waits for no server of tools.
   */
  userSetup(overrides: TurnOverrides): Promise<TurnSetup>;
  /** Parts of a turn without overrides, as they were when the thread was opened. Absent in a replay. */
  readonly initial?: Pick<TurnSetup, 'prompt' | 'tools' | 'window'>;
  /** Keeps whole outputs of commands. Absent unless the program asks for them. */
  readonly outputs?: OutputKeeper;
  readonly gitDiff: Lazy<GitDiff>;
  /** Returns a path as diffs show it. */
  showPath(path: string): string;
  /** Takes a snapshot of the workspace. Absent if snapshots are off. */
  readonly snapshotWorkspace?: (signal: AbortSignal) => Promise<WorkspaceSnapshot>;
  /** Performs calls in another way than by running their tools. */
  readonly perform?: Perform;
  /** Hooks of the embedding program around calls, the outer ones first. */
  readonly hooks?: readonly GuardedHook[];
  emit(event: EventBody, turnId: string | null): void;
  /** Asks the user. Absent if there is no user to ask. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Answer | Promise<Answer>;
}

/** The parts of one turn, made when the turn begins. */
export interface TurnSetup {
  readonly model: Model;
  readonly providerId: string;
  /** Variable, file or program that the key comes from. Undefined if there is none, or the embedding program has it. */
  readonly keyFrom?: string | undefined;
  /** Returns the current tools. They may change between two requests. */
  tools(): ToolSnapshot;
  readonly policy: Policy;
  /** Decides about actions under the turn's policy. Approvals for the rest of the thread are shared by its turns. */
  readonly judge: Lazy<Judge>;
  readonly view: View;
  readonly prompt: Prompt;
  /** Fields of a request that are the same for all requests of the turn. */
  readonly request: Omit<ModelRequest, 'input' | 'instructions' | 'tools' | 'metadata'>;
  /** Limit on one output for the model. */
  readonly textLimit: TextLimit;
  /** Whether people see the model's raw reasoning if there is no summary. */
  readonly showRawReasoning: boolean;
  /** Whether the model can see images. */
  readonly imageInput: boolean;
  /** Reports whether a model of this name can see images. If absent, the answer is that of this model. */
  readonly seesImages?: (model: string) => boolean | Promise<boolean>;
  /** Returns the reasoning of another server without state that only that server can use. Absent: there is none. */
  readonly withoutState?: (item: ReasoningItem) => ReasoningItem;
  /** Whether requests leave out reasoning from before the user's last message. */
  readonly forgetsReasoning?: boolean;
  readonly compaction: CompactionSettings;
  /** Tokens of the model's window, or null if they are only assumed. */
  readonly window: number | null;
  /** Whether the turn waits for the end of a usage limit that a server reports. Otherwise it fails. */
  readonly waitsForLimits?: boolean;
  /** Returns the cost of a response in US dollars, or null if the price is unknown. */
  price(usage: Usage): number | null;
}

export interface Prompt {
  /** Base instructions of a new thread. */
  readonly instructions: string;
  /** Whether the user chose these instructions. They then also apply to a thread that began with others. */
  readonly chosen: boolean;
  /** Returns the current sections of the model's context. */
  sections(context: PromptContext): Promise<readonly Section[]>;
}

/** Context that the model of a thread already has. */
export interface PromptContext {
  /** Base instructions of the thread. */
  readonly instructions: string;
  /** The model that answered the turn before. */
  readonly previousModel: string | null;
}

export interface CompactionSettings {
  /** Number of tokens at which the history is replaced before the next request. Infinity: never by itself. */
  readonly limit: number;
  /** Maximum tokens of the model's window. */
  readonly window: number;
  /** Reports whether a request of this size fits the window. */
  fits(tokens: number): boolean;
  /** Returns the prompt that asks the model for a summary. */
  prompt(): Promise<string>;
  /** Loads the compaction code. Called with the first compaction. */
  code(): Promise<CompactHistory>;
}

/**
 * A function that replaces the history of a turn by a shorter one. It returns false, with no effect, if there is none.
 * It throws `ModelError` and leaves the history as it was.
 */
export type CompactHistory = (turn: Turn, compaction: Compaction) => Promise<boolean>;

export interface Compaction {
  readonly reason: CompactionReason;
  /** Whether the compaction happens in the middle of a turn. The context must then be sent again at once. */
  readonly inTurn: boolean;
  /** Maximum tokens of the summary. By default a part of the window and of what it replaces. */
  readonly summaryTokens?: number;
}

/** A function that performs a call. It returns null if the call has not started and its question stays open. */
export type Perform = (turn: Turn, item: CallItem, options: PerformOptions) => Promise<CallOutcome | null>;

/** The outcome of a call, and its output for the model. */
export interface CallOutcome {
  readonly output: CallOutputItem;
  readonly metadata: OutputMetadata;
}

/** The git tree of a snapshot, or the reason why there is none. */
export type WorkspaceSnapshot = { readonly tree: string } | { readonly reason: string };

/**
 * A recorder appends lines to the log of a thread and applies them to its state. The lines of one call belong together:
 * all are kept, or none.
 */
export interface Recorder {
  /**
   * Records lines that something depends on. These lines and all lines before them are kept once the promise resolves.
   */
  record(...lines: readonly LogLine[]): Promise<void>;
  /**
   * Records lines that nothing depends on yet. Does not wait for a pipelined log: the lines are in the state after the
   * next `record`, `decide` or `settled`, which also throws their failure.
   */
  note(...lines: readonly LogLine[]): Promise<void>;
  /**
   * Records lines that depend on the state. `make` is called when all earlier lines are in the state, and no line comes
   * in between. Returns the lines that were made.
   */
  decide(make: () => readonly LogLine[]): Promise<readonly LogLine[]>;
  /**
   * Records a line that nothing will ever depend on. Resolves when the attempt is over. The next line throws its
   * failure.
   */
  mention(line: LogLine): Promise<void>;
  /** Records a line that nothing will ever depend on, together with the next lines. */
  hold(line: LogLine): void;
  /** Records the held lines. The next line throws their failure. */
  release(): Promise<void>;
  /** Waits until all lines are in the state. */
  settled(): Promise<void>;
}

/** A function that returns the faults of a final answer, in words for the model. An answer without faults completes the turn. */
export type CheckOutput = (answer: string) => readonly string[] | Promise<readonly string[]>;

/** The terminals that the calls of a thread left running, the oldest first. */
export interface Terminals {
  list(): readonly RunningTerminal[];
  /** Notes the process of an item, until `ended`. */
  began(itemId: string, terminal: Terminal): void;
  ended(itemId: string): void;
  /** Returns the output so far of the item, if its process runs. If it is too long, without its middle. */
  soFar(itemId: string): WholeOutput | undefined;
  /** Adds a terminal whose call has ended. */
  add(facts: RunningTerminal, terminal: Terminal): void;
  /** Removes a terminal that has ended, if it is in the list. */
  remove(id: number): void;
  /** Returns the end of the output of a terminal. Throws `UserError` if it is not in the list. */
  output(id: number): string;
  /** Ends a terminal with all that it started. Throws `UserError` if it is not in the list. */
  stop(id: number): Promise<void>;
}

/** A turn in progress. */
export interface Turn extends Omit<Recorder, 'mention'> {
  readonly id: string;
  readonly thread: ThreadSetup;
  readonly setup: TurnSetup;
  readonly state: ThreadState;
  /** Whether the turn is the first of its thread in this process. */
  readonly isFirstHere: boolean;
  /** Tools of the turn's last request. They also find the tools of its calls. */
  tools: ToolSnapshot;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly outputSchema: unknown;
  /** Checks the final answer. */
  readonly checkOutput: CheckOutput | undefined;
  /** Ids of input that was queued before the turn began. It goes before the turn's own input. */
  readonly leftOver: ReadonlySet<string>;
  /** Terminals that calls of the thread left running. */
  readonly terminals: Terminals;
  /** Costs of the turn so far. */
  readonly ledger: TurnLedger;
  /** Id of the suspended question that the turn answers. Null for a turn with input. */
  readonly answers: string | null;
  /** Base instructions from this turn on. */
  readonly baseInstructions: string | undefined;
  /** The model that answered the turn before. */
  readonly previousModel: string | null;
  /** The provider that answered the turn before. */
  readonly previousProvider: string | null;
  /**
   * Settles when the snapshot of the workspace was taken, or has failed. Null before the first action that may change
   * something.
   */
  workspaceSnapshot: Promise<void> | null;
  /** The plan as the model last showed it. */
  plan: PlanItem | null;
  /** Whether a compaction of this turn failed. The turn goes on while its requests fit the window. */
  compactionFailed: boolean;
  /** Net change of the turn's patches. */
  readonly diff: TurnDiff;
  /** Ends the turn as if the user had interrupted it. */
  interrupt(): void;
  /** Records a line that nothing depends on, without waiting, at any time. The next line throws its failure. */
  mention(line: LogLine): void;
  emit(event: EventBody): void;
}
