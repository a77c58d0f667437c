import type { PrefixRule } from '../base/policy.ts';

/** Facts about an action that the decision needs. */
export interface Knowledge {
  /** Facts about a command. */
  readonly command?: CommandKnowledge;
  /** Facts about a patch. */
  readonly patch?: PatchKnowledge;
  /** Standing of the terminal that is typed into. */
  readonly terminal?: TerminalStanding;
  /** Why the program of a search may not leave the sandbox. */
  readonly distrust?: string;
  /** Whether the user approved the action for the rest of the thread. */
  readonly approved?: boolean;
}

export interface CommandKnowledge {
  /** Whether every part of the command is known to only read. */
  readonly readOnly: boolean;
  /** Why the command is dangerous. Parts that a rule allows are not examined. */
  readonly danger?: string;
  /** Strictest rule that a part of the command matches, unless that rule allows it. */
  readonly rule?: PrefixRule;
  /** Whether a rule allows every part of the command. */
  readonly allowed: boolean;
  /** Words that a lasting approval may cover. */
  readonly prefix?: readonly string[];
}

export interface PatchKnowledge {
  /** Files that a sandboxed command could not write. */
  readonly outside: readonly string[];
  /** Files that may not even be read. */
  readonly unreadable: readonly string[];
}

/**
 * Standing of a terminal. `inside`: it runs in the sandbox. `approved`: it runs outside, and the approval covers typing
 * into it. `asked`: the user approved only its start.
 */
export type TerminalStanding = 'inside' | 'approved' | 'asked';
