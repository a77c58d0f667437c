/** The policy that says when the user is asked. */
export type ApprovalPolicy = 'untrusted' | 'on-failure' | 'on-request' | 'never' | GranularApproval;

/** Like `on-request`, but only for some kinds of questions. A question of a kind that is false is answered with no. */
export interface GranularApproval {
  /** Questions to leave the sandbox. */
  readonly sandbox: boolean;
  /** Questions that a rule demands. */
  readonly rules: boolean;
  /** Questions about tools of MCP servers and of the embedding program. */
  readonly mcp: boolean;
}

/** Files that commands may change: none, those of the workspace, or all. */
export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';

/** The program that makes a sandbox. */
export type SandboxBackend = 'bubblewrap' | 'landlock';

/** Limits on what commands may touch. All paths are absolute. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  /** Folders that `workspace-write` may write to, including the working directory. */
  readonly writableRoots: readonly string[];
  readonly network: boolean;
  /** Hosts that are reachable through a proxy while the network is off, such as `example.org` or `*.example.org`. */
  readonly allowedDomains?: readonly string[];
  /** Files and folders that may not be read. With an entry, no command leaves the sandbox. */
  readonly denyRead?: readonly string[];
  /** Files with keys of Oxbow and Codex. They may not be read either, but commands can be approved to leave the sandbox. */
  readonly keyFiles?: readonly string[];
  /** Oxbow's home. It is read-only wherever it lies, except for writable roots inside it. */
  readonly home?: string;
  /** The sandbox that commands get or else do not run. Absent: the best that works on this machine. */
  readonly backend?: SandboxBackend;
  /** With `private`, the command may use sockets of its own. Known sockets of the machine are hidden. */
  readonly unixSockets?: 'deny' | 'private';
}

/** A rule about commands that begin with certain words. */
export interface PrefixRule {
  /** Each entry is a word or a list of alternative words. */
  readonly pattern: readonly (string | readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification?: string;
}

/** The decision of a rule about a command. */
export type RuleDecision = 'allow' | 'prompt' | 'forbidden';

/** Rules about questions to the user, and the sandbox. */
export interface Policy {
  readonly approval: ApprovalPolicy;
  readonly sandbox: SandboxPolicy;
  readonly rules?: readonly PrefixRule[];
  /** Absolute paths of programs by name. A rule that allows `git` allows `/usr/bin/git` only if that path is listed. */
  readonly executables?: Readonly<Record<string, readonly string[]>>;
  /** Whether the user is asked about patches that lose content which git could not restore. */
  readonly destructivePatches?: 'ask' | 'allow';
}

/** The decision about an action. */
export type Decision =
  /** `askAgain`: if the sandbox makes the action fail, the user is asked once whether to repeat it outside. */
  | { readonly type: 'allow'; readonly sandboxed: boolean; readonly askAgain?: boolean }
  /**
   * `scopes`: the scopes that an approval may have, `once` first. `sandboxed`: whether the approved action runs in the
   * sandbox.
   */
  | {
      readonly type: 'ask';
      readonly reason: string;
      readonly sandboxed: boolean;
      readonly askAgain?: boolean;
      readonly scopes: readonly ApprovalScope[];
    }
  /** The reason is the output of the call. */
  | { readonly type: 'deny'; readonly reason: string; readonly cause: RefusalCause };

/**
 * The kind of reason why an action did not happen. `sandbox`: it writes where the sandbox does not let it, or asks to
 * leave the sandbox. `network`: the sandbox has no network. `rule`: a rule is against it. `danger`: something could be
 * lost. `deny_read`: it touches files that may not be read. `other`: any other reason, such as the user's answer.
 */
export type RefusalCause = 'sandbox' | 'network' | 'rule' | 'danger' | 'deny_read' | 'other';

/** The range of an approval. The user sees it before approving. */
export type ApprovalScope =
  | { readonly type: 'once' }
  /** This one time, and everything typed into the terminal that the command opens. */
  | { readonly type: 'terminal' }
  /** The very same command, or further changes of the same files, until the thread ends. */
  | { readonly type: 'thread' }
  /** Every call of the same tool of an MCP server or of the embedding program, until the thread ends. */
  | { readonly type: 'tool' }
  /** Every command that begins with these words: for this thread, in this project from now on, or everywhere. */
  | { readonly type: 'prefix'; readonly prefix: readonly string[]; readonly lasts: PrefixLasts };

/** The time for which an approval of a prefix holds. */
export type PrefixLasts = 'thread' | 'project' | 'always';
