import type { ApprovalPolicy, SandboxMode } from './policy.ts';

/** Settings of one turn that replace those of the agent. The next turn has the agent's settings again. */
export interface TurnOverrides {
  /** Name of the model. */
  readonly model?: string;
  /** Id of a provider, built in or configured. Without a model, the default model of the provider is asked. */
  readonly provider?: string;
  /** Amount of reasoning, such as `low`. Models differ in those that they accept. */
  readonly effort?: string;
  /** Form of the summary of the reasoning. */
  readonly summary?: 'auto' | 'concise' | 'detailed' | 'none';
  /** Length of the answers. */
  readonly verbosity?: 'low' | 'medium' | 'high';
  /** Actions about which the user is asked. */
  readonly approvalPolicy?: ApprovalPolicy;
  /** Sandbox of the commands. */
  readonly sandboxMode?: SandboxMode;
  /** Whether sandboxed commands have a network. */
  readonly networkAccess?: boolean;
  /**
   * Folders that `workspace-write` may write to besides the configured ones. Relative paths start at the working
   * directory.
   */
  readonly writableRoots?: readonly string[];
}
