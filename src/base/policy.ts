/** When the user is asked. */
export type ApprovalPolicy = 'untrusted' | 'on-failure' | 'on-request' | 'never' | GranularApproval;

/** As `on-request`, but only these kinds of questions reach the user: those that are false are answered with no. */
export interface GranularApproval {
  /** To leave the sandbox. */
  readonly sandbox: boolean;
  /** What a rule says must be asked. */
  readonly rules: boolean;
  /** Tools of MCP servers and of the embedding program. */
  readonly mcp: boolean;
}

export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';

/** What commands may touch. All paths are absolute. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  /** Folders that `workspace-write` may write to, the working directory among them. */
  readonly writableRoots: readonly string[];
  readonly network: boolean;
  /** Hosts that may be reached through a proxy although the network is off: `example.org`, `*.example.org`. */
  readonly allowedDomains?: readonly string[];
  /** Files and folders that may not even be read. */
  readonly denyRead?: readonly string[];
  /** `private`: sockets of the command's own work, those of the machine are hidden as far as they are known. */
  readonly unixSockets?: 'deny' | 'private';
}

/** A rule about commands that begin with these words. */
export interface PrefixRule {
  /** One word each, or some to choose from. */
  readonly pattern: readonly (string | readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification?: string;
}

export type RuleDecision = 'allow' | 'prompt' | 'forbidden';

export interface Policy {
  readonly approval: ApprovalPolicy;
  readonly sandbox: SandboxPolicy;
  readonly rules?: readonly PrefixRule[];
  /** Where programs of a name really lie. A rule that allows `git` allows `/usr/bin/git` only if that is listed. */
  readonly executables?: Readonly<Record<string, readonly string[]>>;
  /** Whether patches that lose what git could not restore are asked for. */
  readonly destructivePatches?: 'ask' | 'allow';
}

export type Decision =
  /** `askAgain`: should the sandbox make it fail, the user is asked once to repeat it outside. */
  | { readonly type: 'allow'; readonly sandboxed: boolean; readonly askAgain?: boolean }
  /** `scopes`: for how long a yes may be given, `once` first. `sandboxed`: where the action runs when it is. */
  | {
      readonly type: 'ask';
      readonly reason: string;
      readonly sandboxed: boolean;
      readonly askAgain?: boolean;
      readonly scopes: readonly ApprovalScope[];
    }
  /** The reason is the call's output. */
  | { readonly type: 'deny'; readonly reason: string };

/** What a yes covers. Shown before it is given. */
export type ApprovalScope =
  | { readonly type: 'once' }
  /** This one time, and whatever is typed into the terminal that it opens. */
  | { readonly type: 'terminal' }
  /** The very same command, or further changes of the same files, until the thread ends. */
  | { readonly type: 'thread' }
  /** Every call of the same tool of an MCP server or of the embedding program, until the thread ends. */
  | { readonly type: 'tool' }
  /** Every command that begins with these words: for this thread, in this project from now on, or everywhere. */
  | { readonly type: 'prefix'; readonly prefix: readonly string[]; readonly lasts: PrefixLasts };

export type PrefixLasts = 'thread' | 'project' | 'always';
