import type { McpElicitation, McpSampling } from './mcp-connection.ts';
import type { McpApprovalMode } from './mcp-server-config.ts';
import type { Repair } from './repair.ts';

/** An action is the effect that a tool intends, described before it happens. The policy sees nothing else of a call. */
export type Action =
  | CommandAction
  | TerminalInputAction
  | PatchAction
  | ReadAction
  | SearchAction
  | McpAction
  | McpElicitationAction
  | McpSamplingAction
  | PlanAction
  | OwnAction;

/** An action that starts a process. */
export interface CommandAction {
  readonly kind: 'command';
  readonly argv: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  /** Whether the process gets the environment of a login shell. */
  readonly login: boolean;
  /** Whether to run outside the sandbox. The model must ask for it. */
  readonly escalate: boolean;
  readonly justification?: string;
  /** Command prefix that the model proposes to allow from now on. */
  readonly prefixRule?: readonly string[];
  /** Whether the process gets a terminal of its own, which accepts typed input, instead of pipes. */
  readonly tty?: true;
  /** How long the call waits for output before it answers. */
  readonly yieldMs: number;
  /** Time after which the process is killed. Without it, the process may outlive the call as a terminal. */
  readonly timeoutMs?: number;
  readonly maxOutputTokens?: number;
  /** Repair of the call before it became this action. */
  readonly repair?: ActionRepair;
}

/** A repair of a call. `title` is a sentence for the user: what was changed and why. */
export type ActionRepair = Pick<Repair, 'id' | 'title' | 'before' | 'after'>;

/**
 * An action that writes to a running process, or reads its new output if `chars` is empty. Counts as part of the action
 * that started the process.
 */
export interface TerminalInputAction {
  readonly kind: 'terminal_input';
  readonly terminalId: number;
  readonly chars: string;
  readonly yieldMs: number;
  readonly maxOutputTokens?: number;
}

/** An action that changes files. */
export interface PatchAction {
  readonly kind: 'patch';
  readonly changes: readonly PatchChange[];
  readonly escalate: boolean;
  readonly justification?: string;
}

/** Change of one file by a patch. All paths are absolute and have no symbolic links. */
export interface PatchChange {
  readonly type: 'add' | 'update' | 'delete';
  readonly path: string;
  /** Destination of a file that moves. */
  readonly to?: string;
  /** Whether the change loses content that git could not restore: it deletes or overwrites such a file. */
  readonly destroys: boolean;
  /** The path as the patch spells it. For a file that moves, its destination. */
  readonly shown: string;
  /** Whole text of the file, or null if there is no file. For an added file, the text that it overwrites. */
  readonly before: string | null;
  /** Whole text of the file after the change, or null if the file is deleted. */
  readonly after: string | null;
}

/** An action that reads a file for the model. */
export interface ReadAction {
  readonly kind: 'read';
  /** Absolute path without symbolic links. */
  readonly path: string;
  /** The path as the model spelled it. */
  readonly shown: string;
  /** Resolution in which the model sees an image. */
  readonly detail?: 'high' | 'original';
}

/** An action that searches the web with the command that the user configured for searches. */
export interface SearchAction {
  readonly kind: 'search';
  readonly query: string;
  /**
   * The configured command with the query filled in. It runs outside the sandbox: the user chose it, and it needs the
   * network.
   */
  readonly argv: readonly string[];
}

/** An action that calls a tool of an MCP server. Its hints are claims of the server, not facts. */
export interface McpAction {
  readonly kind: 'mcp';
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly hints: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
  /** When the user is asked about the tool. Default: `auto`, by its hints. */
  readonly approval?: McpApprovalMode;
}

/** An action that answers a question which an MCP server asks the user during a call. */
export interface McpElicitationAction {
  readonly kind: 'mcp_elicitation';
  readonly server: string;
  /** Tool whose call the question belongs to. */
  readonly tool: string;
  /** The question: a form with a schema for the answer, or an address to visit. */
  readonly question: McpElicitation;
}

/** An action that lets the model write a message which an MCP server asks for during a call. */
export interface McpSamplingAction {
  readonly kind: 'mcp_sampling';
  readonly server: string;
  /** Tool whose call the request belongs to. */
  readonly tool: string;
  readonly request: McpSampling;
}

/** An action that shows the user a plan. Has no other effect. */
export interface PlanAction {
  readonly kind: 'plan';
  readonly explanation?: string;
  readonly steps: readonly PlanStep[];
}

/** A step of a plan. */
export interface PlanStep {
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** An action that runs a tool of the embedding program, whose author answers for its effects. */
export interface OwnAction {
  readonly kind: 'own';
  readonly tool: string;
  readonly input: unknown;
  /** Whether the tool changes anything outside the thread. */
  readonly mutating: boolean;
  /** Reason to show the user when asking for approval. Without it, the user is not asked. */
  readonly approval?: string;
}
