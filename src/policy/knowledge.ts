import type { PrefixRule } from '../base/policy.ts';

/** What was found out about an action before it is decided upon. */
export interface Knowledge {
  /** Of a command. */
  readonly command?: CommandKnowledge;
  /** Of a patch. */
  readonly patch?: PatchKnowledge;
  /** Of the terminal that is typed into. */
  readonly terminal?: TerminalStanding;
  /** Whether the user said yes to this for the rest of the thread. */
  readonly approved?: boolean;
}

export interface CommandKnowledge {
  /** Whether every part of it is known to only read. */
  readonly readOnly: boolean;
  /** Why it is dangerous, if it is. Parts that a rule allows are not looked at. */
  readonly danger?: string;
  /** The strictest rule that a part of it matches, unless that allows. */
  readonly rule?: PrefixRule;
  /** Whether a rule allows every part of it. */
  readonly allowed: boolean;
  /** The words that a yes may cover for good. */
  readonly prefix?: readonly string[];
}

export interface PatchKnowledge {
  /** Files that a sandboxed command could not write. */
  readonly outside: readonly string[];
  /** Files that may not even be read. */
  readonly unreadable: readonly string[];
}

/**
 * `inside`: it runs in the sandbox. `approved`: outside, and typing into it is covered by what let it run. `asked`: the
 * user let it run, no more.
 */
export type TerminalStanding = 'inside' | 'approved' | 'asked';
