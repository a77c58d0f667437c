import type { Repair } from './repair.ts';

/** What a tool wants to do, before it does it: all that the policy sees. */
export type Action =
  | CommandAction
  | TerminalInputAction
  | PatchAction
  | ReadAction
  | SearchAction
  | McpAction
  | PlanAction
  | OwnAction;

/** Start a process. */
export interface CommandAction {
  readonly kind: 'command';
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Whether the process gets the environment of a login shell. */
  readonly login: boolean;
  /** Run outside the sandbox, which the model must ask for. */
  readonly escalate: boolean;
  readonly justification?: string;
  /** The words that the model proposes to allow from now on. */
  readonly prefixRule?: readonly string[];
  /** It gets a terminal of its own, into which can be typed, instead of pipes. */
  readonly tty?: true;
  /** How long the call waits for output before it answers. */
  readonly yieldMs: number;
  /** Killed after so long; absent: it may outlive the call as a terminal. */
  readonly timeoutMs?: number;
  readonly maxOutputTokens?: number;
  /** What was repaired in the call before it became this action. */
  readonly repair?: ActionRepair;
}

/** `title` is a sentence for the user: what was changed and why. */
export type ActionRepair = Pick<Repair, 'id' | 'title' | 'before' | 'after'>;

/** Write to a running process, or (empty) look at what it printed. Part of the action that started it. */
export interface TerminalInputAction {
  readonly kind: 'terminal_input';
  readonly terminalId: number;
  readonly chars: string;
  readonly yieldMs: number;
  readonly maxOutputTokens?: number;
}

/** Change files. */
export interface PatchAction {
  readonly kind: 'patch';
  readonly changes: readonly PatchChange[];
  readonly escalate: boolean;
  readonly justification?: string;
}

/** What a patch does to one file. All paths are absolute and without links. */
export interface PatchChange {
  readonly type: 'add' | 'update' | 'delete';
  readonly path: string;
  /** Where the file goes, when it moves. */
  readonly to?: string;
  /** Whether something is lost that git could not bring back: a deleted file, or one that is written over. */
  readonly destroys: boolean;
  /** The path as the patch spells it, that of the destination when the file moves. */
  readonly shown: string;
  /** The whole text; null where there is no file. Of an added file: what it writes over. */
  readonly before: string | null;
  /** The whole text afterwards; null when it is deleted. */
  readonly after: string | null;
}

/** Read a file for the model. */
export interface ReadAction {
  readonly kind: 'read';
  /** Absolute and without links. */
  readonly path: string;
  /** As the model spelled it. */
  readonly shown: string;
  /** How closely an image is to be looked at. */
  readonly detail?: 'high' | 'original';
}

/** Ask a search engine through the command that the user configured for that. */
export interface SearchAction {
  readonly kind: 'search';
  readonly query: string;
  /** The command with the query in it. It runs outside the sandbox: the user chose it, and it needs the network. */
  readonly argv: readonly string[];
}

/** Call a tool of an MCP server. What it says of itself are hints, not facts. */
export interface McpAction {
  readonly kind: 'mcp';
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly hints: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
}

/** Show the user a plan. Touches nothing. */
export interface PlanAction {
  readonly kind: 'plan';
  readonly explanation?: string;
  readonly steps: readonly PlanStep[];
}

export interface PlanStep {
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** What a tool of the embedding program does. Its author answers for it. */
export interface OwnAction {
  readonly kind: 'own';
  readonly tool: string;
  readonly input: unknown;
  /** Whether it changes anything outside the thread. */
  readonly mutating: boolean;
  /** Why the user is asked before it happens; absent: nobody is asked. */
  readonly approval?: string;
}
