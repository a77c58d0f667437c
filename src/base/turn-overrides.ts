import type { ApprovalPolicy, SandboxMode } from './policy.ts';

/** Settings of one turn, instead of the agent's own. The next turn has the agent's again. */
export interface TurnOverrides {
  readonly model?: string;
  /** The id of a provider, built in or configured. Without a model, the provider's default model is asked. */
  readonly provider?: string;
  readonly effort?: string;
  readonly summary?: 'auto' | 'concise' | 'detailed' | 'none';
  readonly verbosity?: 'low' | 'medium' | 'high';
  readonly approvalPolicy?: ApprovalPolicy;
  readonly sandboxMode?: SandboxMode;
  /** Whether sandboxed commands have a network. */
  readonly networkAccess?: boolean;
  /** Folders that `workspace-write` may write to beside the configured ones. Relative paths start at the working directory. */
  readonly writableRoots?: readonly string[];
}
