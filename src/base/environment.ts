import type { CommandAction, PatchAction, PatchChange, PlanAction } from './action.ts';
import type { TextLimit } from './bound-text.ts';
import type { SandboxPolicy } from './policy.ts';

/**
 * The machine that a thread's commands run on: its processes and files. One per thread; every process that it started
 * ends with it. The policy comes with each use, because a thread's turns may have different ones.
 */
export interface Environment {
  /** Begins to prepare for a command under this policy, in the background. May be called at any time, any number of times. */
  prepare(policy: SandboxPolicy): void;
  /** Starts a process. Asynchronous, so that a small launcher process may serve it. Throws `ToolFailure`. */
  open(action: CommandAction, options: OpenOptions): Promise<Terminal>;
  /** A process that is still known: running, or ended and not yet read to the end. */
  terminal(id: number): Terminal | undefined;
  /** Files under a policy. */
  files(policy: SandboxPolicy): Files;
  /** Returns the hosts that commands were refused, each once. Absent where no hosts are refused one by one. */
  refusedHosts?(): readonly string[];
  /** No command is expected soon: gives back what waits for one, unless something that a command started still runs. */
  rest(): void;
  /** Ends every process that was started, with its whole tree. */
  close(): Promise<void>;
}

/** Files of the machine that the commands run on, under a policy. */
export interface Files {
  /** Where a path leads: absolute, and without links as far as it exists. */
  locate(path: string): Promise<string>;
  /** The bytes of a file. Rejects with the system's error, also for files that may not be read (`EACCES`). */
  read(path: string): Promise<Uint8Array>;
  /** Whether git has the file as it stands. */
  isInGit(path: string): Promise<boolean>;
  /**
   * Changes files, all of them or none. Throws `ToolFailure`, also when a file is no longer what `before` says. `sandboxed`: what the
   * sandbox would not let a command write is refused, whatever became of the folders since they were looked at.
   */
  change(changes: readonly FileChange[], options: { readonly sandboxed: boolean }): Promise<void>;
}

export type FileChange = Pick<PatchChange, 'path' | 'to' | 'before' | 'after'>;

export interface OpenOptions {
  readonly callId: string;
  readonly policy: SandboxPolicy;
  /** False for a command that may leave the sandbox. What runs before it, such as a login profile, may not. */
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
  /** Gives its window another size. Nothing happens where it has none. */
  resize(size: TerminalSize): void;
  /** Ends the process and everything it started, also what left its process group. */
  kill(): Promise<void>;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Collected {
  readonly text: string;
  /** How long this call waited. */
  readonly waitedMs: number;
  /** Null while it runs. */
  readonly exitCode: number | null;
}

/** A process that is spoken to over its standard streams, such as a server of tools. */
export interface PipedProcess {
  readonly pid: number;
  /** Bytes of its output as they arrive. To be read once; while no one reads, the process has to wait. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Bytes of its error output. */
  readonly errors: AsyncIterable<Uint8Array>;
  /** Writes to its input. Resolves when there is room for more; rejects when the input is closed. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Ends its input, on which most programs end themselves. */
  endInput(): void;
  /** Resolves with the exit code when it has ended: 128 + n when signal n ended it. */
  readonly ended: Promise<number>;
  /** Ends it and everything it started, also processes that left its group, and waits until they are gone. */
  kill(): Promise<void>;
}

/** What a tool's `run` is given: an environment that already knows the call, the sandbox and the limits. */
export interface CallEnvironment {
  readonly signal: AbortSignal;
  readonly threadId: string;
  /** Names the call among all of the thread, for ever: whoever gets it twice has been called twice for the same thing. */
  readonly callId: string;
  /** The bound on texts that go to the model. */
  readonly textLimit: TextLimit;
  /** Six hex digits, a name for a piece of output. */
  chunkId(): string;
  open(action: CommandAction): Promise<Terminal>;
  terminal(id: number): Terminal | undefined;
  /** The bytes of a file that the action names. Rejects with the system's error. */
  read(path: string): Promise<Uint8Array>;
  /** Writes what the action says, all of it or nothing, and shows it. Throws `ToolFailure`. */
  change(action: PatchAction): Promise<void>;
  /** Tells the user how far the call is. */
  progress(text: string): void;
  /** Shows the user the plan as it stands now. */
  showPlan(plan: PlanAction): void;
}
