import type {
  CommandAction,
  McpElicitationAction,
  McpSamplingAction,
  PatchAction,
  PatchChange,
  PlanAction,
} from './action.ts';
import type { TextLimit } from './bound-text.ts';
import type { McpElicitationAnswer, McpSamplingAnswer } from './mcp-connection.ts';
import type { SandboxPolicy } from './policy.ts';

/**
 * The machine that the commands of a thread run on: its processes and files. Each thread has one, and closing it ends
 * every process that it started. The policy is passed with each use, because the turns of a thread may have different
 * policies.
 */
export interface Environment {
  /** Prepares in the background for a command under this policy. May be called at any time and repeatedly. */
  prepare(policy: SandboxPolicy): void;
  /** Starts a process. Asynchronous, so that a small launcher process may do it. Throws `ToolFailure`. */
  open(action: CommandAction, options: OpenOptions): Promise<Terminal>;
  /** Returns a process that is running, or has ended with output that was not read yet. */
  terminal(id: number): Terminal | undefined;
  /** Returns the files as this policy allows to use them. */
  files(policy: SandboxPolicy): Files;
  /**
   * Returns the place from which commands under a policy could decide what a program is: a folder of PATH, or the path
   * of the program itself. Undefined where they cannot. `login`: whether the command has the variables of the login
   * shell. Absent where every program can be trusted.
   */
  findUntrusted?(program: string, login: boolean, policy: SandboxPolicy): Promise<string | undefined>;
  /** Returns the hosts that commands were refused, each once. Absent where hosts are not refused one by one. */
  refusedHosts?(): readonly string[];
  /**
   * Frees resources that only wait for the next command, because no command is expected soon. Keeps them while a process
   * still runs.
   */
  rest(): void;
  /** Ends every process that was started, with its descendants. */
  close(): Promise<void>;
}

/** Files of the machine that the commands run on, under a policy. */
export interface Files {
  /** Returns the absolute path that a path leads to. Symbolic links are resolved as far as the path exists. */
  locate(path: string): Promise<string>;
  /**
   * Returns the bytes of a file. Rejects with the error of the system, which is `EACCES` for a file that the policy
   * does not let read.
   */
  read(path: string): Promise<Uint8Array>;
  /** Reports whether git has the file with its present content. */
  isInGit(path: string): Promise<boolean>;
  /**
   * Changes all of the files or none. Throws `ToolFailure`, also if the content of a file is no longer `before`. If
   * `sandboxed`, refuses every write that the sandbox would refuse a command, even if folders were replaced since the
   * change was planned.
   */
  change(changes: readonly FileChange[], options: { readonly sandboxed: boolean }): Promise<void>;
}

/** A change of one file. */
export type FileChange = Pick<PatchChange, 'path' | 'to' | 'before' | 'after'>;

/** Options of a process that begins. */
export interface OpenOptions {
  readonly callId: string;
  readonly policy: SandboxPolicy;
  /**
   * Whether the command stays in the sandbox. Programs that run before the command, such as a login profile, always do.
   */
  readonly sandboxed: boolean;
  /** Receives output as it arrives, at most `LIVE_OUTPUT_LIMIT` bytes in all. Called with text only. */
  onOutput(text: string): void;
  /**
   * Receives the bytes of all output as they arrive, without a limit. They are valid only during the call. An environment
   * need not call it.
   */
  onBytes?(bytes: Uint8Array): void;
  /** Called once, when the process has ended and its output is complete. */
  onExit(exit: Exit): void;
}

/** The end of a process. */
export interface Exit {
  /** Exit code, or 128 + n if signal n ended the process. */
  readonly exitCode: number;
  readonly durationMs: number;
  /** All of the output. If it is too long, without its middle. */
  readonly output: string;
}

/** A process with its input and output. */
export interface Terminal {
  readonly id: number;
  /** Waits until the process ends or `yieldMs` have passed. Returns the output since the last call. */
  collect(yieldMs: number, signal: AbortSignal): Promise<Collected>;
  /** Types into the process. Throws `ToolFailure` if its input is closed. */
  write(chars: string): Promise<void>;
  /** Resizes the window. Does nothing if the process has no window. */
  resize(size: TerminalSize): void;
  /**
   * Returns the output of the running process so far, for people. If it is too long, without its middle. Absent where
   * it is not kept.
   */
  output?(): string;
  /** Ends the process and everything it started, including processes that left its process group. */
  kill(): Promise<void>;
}

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Output of a process since it was last collected. */
export interface Collected {
  readonly text: string;
  /** Time that this call waited. */
  readonly waitedMs: number;
  /** Exit code, or null while the process runs. */
  readonly exitCode: number | null;
}

/** A place that keeps whole outputs of commands as long as a thread is open, for people. */
export interface OutputKeeper {
  /** Begins to keep the output of a `command` item. */
  begin(itemId: string): KeptOutput;
  /** Returns the output of an item so far, or undefined if it is not kept. */
  read(itemId: string): WholeOutput | undefined;
  /** Drops all outputs. */
  close(): void;
}

/** The output of one command, as it is being kept. */
export interface KeptOutput {
  /** Adds bytes. They are valid only during the call. Never throws. */
  write(bytes: Uint8Array): void;
  /** Ends the output. The text is kept if no bytes came, as an environment need not report them. */
  end(output: string): void;
}

/** The output of a command, as far as it is kept. */
export interface WholeOutput {
  readonly text: string;
  /** Whether nothing was left out so far. */
  readonly isWhole: boolean;
}

/** A process that is controlled over its standard streams, such as a server of tools. */
export interface PipedProcess {
  readonly pid: number;
  /** Bytes of its output as they arrive. Can be read once. The process blocks while its output is not read. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Bytes of its error output. */
  readonly errors: AsyncIterable<Uint8Array>;
  /** Writes to its input. Resolves when there is room for more, rejects if the input is closed. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Closes its input. Most programs then exit. */
  endInput(): void;
  /** Resolves with the exit code when the process has ended. The code is 128 + n if signal n ended the process. */
  readonly ended: Promise<number>;
  /**
   * Ends the process and everything it started, including processes that left its process group. Waits until they are
   * gone.
   */
  kill(): Promise<void>;
}

/** The environment that the run of a tool gets. It already knows the call, the sandbox and the limits. */
export interface CallEnvironment {
  readonly signal: AbortSignal;
  readonly threadId: string;
  /**
   * Id of the call, unique in the thread forever. A tool that gets the same id twice was called twice for the same
   * work.
   */
  readonly callId: string;
  /** Value that the embedding program gave the thread. */
  readonly context: unknown;
  /** Limit on texts for the model. */
  readonly textLimit: TextLimit;
  /** Returns six hex digits that name a piece of output. */
  chunkId(): string;
  open(action: CommandAction): Promise<Terminal>;
  terminal(id: number): Terminal | undefined;
  /** Returns the bytes of a file that the action names. Rejects with the error of the system. */
  read(path: string): Promise<Uint8Array>;
  /** Makes all changes of the action or none, and shows them. Throws `ToolFailure`. */
  change(action: PatchAction): Promise<void>;
  /** Shows the user the progress of the call. */
  progress(text: string): void;
  /** Reports a mistake of the tool itself to the programmer. */
  warn(message: string): void;
  /** Puts the question of an MCP server to the user. Absent if there is no user to ask. */
  elicit?(asked: Omit<McpElicitationAction, 'kind'>, signal: AbortSignal): Promise<McpElicitationAnswer>;
  /**
   * Lets the model of the thread write a message for an MCP server, if the user agrees. Throws an `Error` that says why
   * there is no message.
   */
  sample(asked: Omit<McpSamplingAction, 'kind'>, signal: AbortSignal): Promise<McpSamplingAnswer>;
  /** Shows the user the current plan. */
  showPlan(plan: PlanAction): void;
}
