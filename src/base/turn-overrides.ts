import type { ApprovalPolicy, SandboxMode } from './policy.ts';

/** Settings of one turn that replace those of the agent. The next turn has the agent's settings again. */
export interface TurnOverrides {
  readonly model?: string;
  /** Id of a provider, built in or configured. Without a model, the default model of the provider is asked. */
  readonly provider?: string;
  readonly effort?: string;
  readonly summary?: 'auto' | 'concise' | 'detailed' | 'none';
  readonly verbosity?: 'low' | 'medium' | 'high';
  readonly approvalPolicy?: ApprovalPolicy;
  readonly sandboxMode?: SandboxMode;
  /** Whether sandboxed commands have a network. */
  readonly networkAccess?: boolean;
  /**
   * Folders that `workspace-write` may write to besides the configured ones. Relative paths start at the working
   * directory.
   */
  readonly writableRoots?: readonly string[];
}
