import type { TextLimit } from '../base/bound-text.ts';
import type { Environment } from '../base/environment.ts';
import type { Answer, Ask, CompactionReason, EventBody, PlanItem } from '../base/event.ts';
import type { CallItem, CallOutputItem } from '../base/item.ts';
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
import type { ReadWriteLock } from './calls/read-write-lock.ts';
import type { GitDiff, TurnDiff } from './calls/turn-diff.ts';
import type { Limits } from './state/limits.ts';
import type { ThreadState } from './state/thread-state.ts';
import type { TurnLedger } from './turn/turn-ledger.ts';

/** The parts that live as long as a thread. All of them are made elsewhere and handed in. */
export interface ThreadSetup {
  readonly id: string;
  readonly world: World;
  readonly log: Log;
  readonly environment: Environment;
  /** The program that uses the agent, as servers and logs name it. */
  readonly originator: string;
  /** The surface that the thread was started from, as logs name it. */
  readonly source: string;
  readonly version: string;
  /** Makes the parts that one turn works with. Throws `UserError` when the overrides make no sense. */
  turn(overrides: TurnOverrides): Promise<TurnSetup>;
  readonly gitDiff: Lazy<GitDiff>;
  /** Returns a path as diffs show it. */
  showPath(path: string): string;
  /** Keeps the workspace as it is; absent where that is not wanted. */
  readonly snapshotWorkspace?: (signal: AbortSignal) => Promise<WorkspaceSnapshot>;
  /** Answers calls in another way than by running their tools. */
  readonly perform?: Perform;
  emit(event: EventBody, turnId: string | null): void;
  /** Asks the user; absent where there is no user to ask. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Promise<Answer>;
}

/** The parts that one turn works with, made when the turn begins. */
export interface TurnSetup {
  readonly model: Model;
  readonly providerId: string;
  /** Returns the tools as they are now. They may change between two requests. */
  tools(): ToolSnapshot;
  readonly policy: Policy;
  /** Decides about actions under the turn's policy. Answers for the rest of the thread are shared by its turns. */
  readonly judge: Lazy<Judge>;
  readonly view: View;
  readonly prompt: Prompt;
  /** The fields of a request that do not change from one to the next. */
  readonly request: Omit<ModelRequest, 'input' | 'instructions' | 'tools' | 'metadata'>;
  /** The bound on one output before the model. */
  readonly textLimit: TextLimit;
  /** Whether people see the model's raw reasoning where there is no summary. */
  readonly showRawReasoning: boolean;
  /** Whether the model can look at images. */
  readonly imageInput: boolean;
  /** Returns whether a model of this name can look at images. Absent: as this one. */
  readonly seesImages?: (model: string) => boolean;
  /** Whether requests leave out reasoning from before the user last spoke. */
  readonly forgetsReasoning?: boolean;
  readonly compaction: CompactionSettings;
  /** Returns the cost of a response in US dollars; null where the price is not known. */
  price(usage: Usage): number | null;
}

export interface Prompt {
  /** The base instructions of a new thread. */
  readonly instructions: string;
  /** Whether somebody chose them: they then count for a thread that began under others too. */
  readonly chosen: boolean;
  /** What the model is told about its work, as it is now. */
  sections(context: PromptContext): Promise<readonly Section[]>;
}

/** What a thread's model knows already. */
export interface PromptContext {
  /** The base instructions that the thread goes by. */
  readonly instructions: string;
  /** Which model answered the turn before. */
  readonly previousModel: string | null;
}

export interface CompactionSettings {
  /** In tokens: a history that has grown to it is replaced before the next request. Infinity: never by itself. */
  readonly limit: number;
  /** How many tokens the model takes at once. */
  readonly window: number;
  /** What the model is asked for a summary with. */
  prompt(): Promise<string>;
  /** Loaded with the first compaction. */
  code(): Promise<CompactHistory>;
}

/**
 * Replaces the history of a turn by a shorter one. False: there is none, and nothing was done. Throws `ModelError`, and
 * the history is as it was.
 */
export type CompactHistory = (turn: Turn, compaction: Compaction) => Promise<boolean>;

export interface Compaction {
  readonly reason: CompactionReason;
  /** Whether it happens in the middle of a turn, which then needs its surroundings told at once. */
  readonly inTurn: boolean;
}

export type Perform = (turn: Turn, item: CallItem, options: PerformOptions) => Promise<CallOutcome>;

export interface PerformOptions {
  readonly lock: ReadWriteLock;
  /** Aborted: a call that has not started yet does not start any more. A string as the reason is its output. */
  readonly waiting: AbortSignal;
  /** Resolves when the output of this call is the next that goes into the history. */
  placeCame(): Promise<void>;
}

/** How a call went, and what the model is told of it. */
export interface CallOutcome {
  readonly output: CallOutputItem;
  readonly metadata: OutputMetadata;
}

/** The name of what was kept, or why nothing was. */
export type WorkspaceSnapshot = { readonly tree: string } | { readonly reason: string };

/** Adds lines to the log of a thread, then to its state. The lines of one call belong together: all are kept, or none. */
export interface Recorder {
  /** Records lines that something depends on. They, and all lines before them, are kept when the promise resolves. */
  record(...lines: readonly LogLine[]): Promise<void>;
  /**
   * Records lines that nothing depends on yet. A pipelined log is not waited for: the state has the lines after the next
   * `record`, `decide` or `settled`, which also throws what went wrong with them.
   */
  note(...lines: readonly LogLine[]): Promise<void>;
  /**
   * Records lines that depend on the state: `make` is called when all earlier lines are in it, and no line comes between.
   * Returns the lines that were made.
   */
  decide(make: () => readonly LogLine[]): Promise<readonly LogLine[]>;
  /** Records a line that nothing will ever depend on. Resolves when that is over; a failure shows with the next line. */
  mention(line: LogLine): Promise<void>;
  /** Records a line that nothing will ever depend on together with the next lines. */
  hold(line: LogLine): void;
  /** Records the lines that are held. A failure shows with the next line. */
  release(): Promise<void>;
  /** Waits until all lines are in the state. */
  settled(): Promise<void>;
}

/** A turn in progress. */
export interface Turn extends Omit<Recorder, 'mention'> {
  readonly id: string;
  readonly thread: ThreadSetup;
  readonly setup: TurnSetup;
  readonly state: ThreadState;
  /** Whether it is the first of its thread in this process. */
  readonly isFirstHere: boolean;
  /** The tools of its last request, which also find the calls of the response. */
  tools: ToolSnapshot;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly outputSchema: unknown;
  /** Ids of what waited already when the turn was asked for: it was said before the turn's own input. */
  readonly leftOver: ReadonlySet<string>;
  /** What it has taken so far. */
  readonly ledger: TurnLedger;
  /** Base instructions from this turn on. */
  readonly baseInstructions: string | undefined;
  /** The model that answered the turn before. */
  readonly previousModel: string | null;
  /** The provider that answered the turn before. */
  readonly previousProvider: string | null;
  /** Settles when the workspace was kept, or tried to be; null before the first action that may change something. */
  workspaceSnapshot: Promise<void> | null;
  /** The plan as the model last showed it. */
  plan: PlanItem | null;
  /** What its patches have changed. */
  readonly diff: TurnDiff;
  /** Ends the turn as if the user had interrupted it. */
  interrupt(): void;
  /** Records a line that nothing depends on, without waiting, whenever it comes. A failure shows with the next line. */
  mention(line: LogLine): void;
  emit(event: EventBody): void;
}
