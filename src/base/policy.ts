/** When the user is asked. */
export type ApprovalPolicy = 'never' | 'on-request';

export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';

/** What commands may touch. All paths are absolute. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  /** Folders that `workspace-write` may write to, the working directory among them. */
  readonly writableRoots: readonly string[];
  readonly network: boolean;
}

export interface Policy {
  readonly approval: ApprovalPolicy;
  readonly sandbox: SandboxPolicy;
}

export type Decision =
  | { readonly type: 'allow'; readonly sandboxed: boolean }
  | { readonly type: 'ask'; readonly reason: string }
  /** The reason is the call's output. */
  | { readonly type: 'deny'; readonly reason: string };
