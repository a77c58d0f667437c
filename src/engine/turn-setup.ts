import type { TextLimit } from '../base/bound-text.ts';
import type { Environment } from '../base/environment.ts';
import type { Answer, Ask, EventBody, PlanItem } from '../base/event.ts';
import type { Log, LogLine } from '../base/log.ts';
import type { Model, ModelRequest } from '../base/model.ts';
import type { Policy } from '../base/policy.ts';
import type { Tool, ToolSpec, View } from '../base/tool.ts';
import type { World } from '../base/world.ts';
import type { Judge } from '../policy/judge.ts';
import type { Limits } from './limits.ts';
import type { ThreadState } from './thread-state.ts';
import type { GitDiff, TurnDiff } from './turn-diff.ts';

/** What a thread works with. All of it is made elsewhere and handed in. */
export interface ThreadSetup {
  readonly id: string;
  readonly model: Model;
  readonly tools: ToolSet;
  readonly environment: Environment;
  readonly log: Log;
  readonly world: World;
  readonly policy: Policy;
  /** Decides about actions. Loaded with the first of them; the same one for the thread's whole life. */
  judge(): Promise<Judge>;
  readonly view: View;
  /** Writes diffs. Loaded when it is first needed. */
  gitDiff(): Promise<GitDiff>;
  /** How the path of a file stands in diffs. */
  showPath(path: string): string;
  readonly prompt: Prompt;
  /** Everything of a request that does not change from one to the next. */
  readonly request: Omit<ModelRequest, 'input' | 'instructions' | 'tools' | 'metadata'>;
  /** The bound on one output before the model. */
  readonly textLimit: TextLimit;
  /** Whether people are shown the model's raw reasoning where there is no summary. */
  readonly showRawReasoning: boolean;
  readonly originator: string;
  readonly version: string;
  readonly providerId: string;
  emit(event: EventBody, turnId: string | null): void;
  /** Asks the user; absent where nobody is there to answer. */
  readonly ask?: (ask: Ask, signal: AbortSignal) => Promise<Answer>;
}

export interface ToolSet {
  /** What the model is told. The same array as long as it does not change. */
  readonly offered: readonly ToolSpec[];
  /** Any tool that is understood, by any of its names. */
  find(name: string): Tool | undefined;
}

export interface Prompt {
  readonly instructions: string;
  /** Said once, at the beginning of a thread, in the developer's name. */
  readonly developerInstructions: string | null;
  /** The surroundings as a text for the model, now. */
  environmentContext(): string;
}

/** A turn in progress. */
export interface Turn {
  readonly id: string;
  readonly setup: ThreadSetup;
  readonly state: ThreadState;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly outputSchema: unknown;
  /** The plan as the model last showed it. */
  plan: PlanItem | null;
  /** What its patches have changed. */
  readonly diff: TurnDiff;
  /** Ends the turn as if the user had interrupted it. */
  interrupt(): void;
  /** Appends to the log, then to the state: nothing is acted on before it is on disk. */
  record(line: LogLine): Promise<void>;
  emit(event: EventBody): void;
}
