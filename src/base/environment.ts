import type { CommandAction, PlanAction } from './action.ts';
import type { TextLimit } from './bound-text.ts';

/**
 * Hands: processes under a sandbox. One per thread; what it started ends with it.
 */
export interface Environment {
  /** Begins to make ready what the first command will need, in the background. May be called at any time, any number of times. */
  prepare(): void;
  /** Starts a process. Asynchronous, so that a small launcher process may serve it. Throws `ToolFailure`. */
  open(action: CommandAction, options: OpenOptions): Promise<Terminal>;
  /** A process that is still known: running, or ended and not yet read to the end. */
  terminal(id: number): Terminal | undefined;
  /** Ends every process that was started, with its whole tree. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly callId: string;
  readonly sandboxed: boolean;
  /** Output as it arrives. Called with text only, at most `LIVE_OUTPUT_LIMIT` bytes in all. */
  onOutput(text: string): void;
  /** Called once, when the process has ended and its output is complete. */
  onExit(exit: Exit): void;
}

export interface Exit {
  /** 128 + n when signal n ended it. */
  readonly exitCode: number;
  readonly durationMs: number;
  /** All of the output, its middle dropped where it was too long. */
  readonly output: string;
}

export interface Terminal {
  readonly id: number;
  /** Waits until the process ends or `yieldMs` pass; gives what it printed since it was last asked. */
  collect(yieldMs: number, signal: AbortSignal): Promise<Collected>;
  /** Types into the process. Throws `ToolFailure` where its input is closed. */
  write(chars: string): Promise<void>;
  /** Ends the process and everything it started, also what left its process group. */
  kill(): Promise<void>;
}

export interface Collected {
  readonly text: string;
  /** How long this call waited. */
  readonly waitedMs: number;
  /** Null while it runs. */
  readonly exitCode: number | null;
}

/** What a tool's `run` is given: an environment that already knows the call, the sandbox and the limits. */
export interface Hands {
  readonly signal: AbortSignal;
  /** The bound on texts that go to the model. */
  readonly textLimit: TextLimit;
  /** Six hex digits, a name for a piece of output. */
  chunkId(): string;
  open(action: CommandAction): Promise<Terminal>;
  terminal(id: number): Terminal | undefined;
  /** Shows the user the plan as it stands now. */
  showPlan(plan: PlanAction): void;
}
