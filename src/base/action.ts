import type { Repair } from './repair.ts';

/** What a tool wants to do, before it does it: all that the policy sees. */
export type Action = CommandAction | TerminalInputAction | PlanAction | OwnAction;

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
  /** How long the call waits for output before it answers. */
  readonly yieldMs: number;
  /** Killed after so long; absent: it may outlive the call as a terminal. */
  readonly timeoutMs?: number;
  readonly maxOutputTokens?: number;
  /** What was mended in the call before it became this action. */
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
}
