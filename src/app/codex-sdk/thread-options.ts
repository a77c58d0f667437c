import type { AgentOptions } from '../agent-options.ts';
import { toOverrides } from '../options/to-overrides.ts';
import type { CodexOptions } from './codex-options.ts';

/** Policy of questions to the user. */
export type ApprovalMode = 'never' | 'on-request' | 'on-failure' | 'untrusted';
/** Files that commands may change: none, those of the workspace, or all. */
export type CodexSandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';
/** Amount of reasoning. Models differ in those that they accept. */
export type ModelReasoningEffort = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'ultra' | 'persistent';
/** Search of the server: off, in pages that it has stored, or on the web. */
export type CodexWebSearchMode = 'disabled' | 'cached' | 'live';

/** Options of a thread, with the names and meanings of the Codex SDK. */
export type CodexThreadOptions = {
  /** Name of the model. */
  model?: string;
  /** Accepted and ignored: it classifies threads for OpenAI. */
  threadSource?: string;
  /** Sandbox of the commands. */
  sandboxMode?: CodexSandboxMode;
  /** Folder that the thread works in. The default is that of this process. */
  workingDirectory?: string;
  /** Whether the thread may work in a folder that is neither trusted nor in a git repository. */
  skipGitRepoCheck?: boolean;
  /** Amount of reasoning before an answer. */
  modelReasoningEffort?: ModelReasoningEffort;
  /** Whether commands in the sandbox `workspace-write` have a network. */
  networkAccessEnabled?: boolean;
  /** Search of the server. It wins over `webSearchEnabled`. */
  webSearchMode?: CodexWebSearchMode;
  /** Whether the server searches the web. */
  webSearchEnabled?: boolean;
  /** Accepted and ignored: the policy is always `never`, because this interface has no way to ask the user. */
  approvalPolicy?: ApprovalMode;
  /** Folders that commands may write to besides the working directory. */
  additionalDirectories?: string[];
};

/** Returns the options of the agent that runs one thread. */
export function agentOptions(codex: CodexOptions, thread: CodexThreadOptions): AgentOptions {
  return {
    originator: 'oxbow_sdk',
    overrides: [...toOverrides(codex.config ?? {}), ...(codex.configOverrides ?? [])],
    settings: settingsOf(codex, thread),
    addDirs: thread.additionalDirectories ?? [],
    ...(codex.env ? { env: codex.env } : {}),
    ...(codex.apiKey === undefined ? {} : { moreEnv: { CODEX_API_KEY: codex.apiKey } }),
    ...(thread.workingDirectory === undefined ? {} : { cwd: thread.workingDirectory }),
  };
}

function settingsOf(codex: CodexOptions, thread: CodexThreadOptions): Record<string, unknown> {
  const search = thread.webSearchMode ?? searchMode(thread.webSearchEnabled);
  return {
    approval_policy: 'never',
    ...(codex.baseUrl === undefined ? {} : { openai_base_url: codex.baseUrl }),
    ...(thread.model === undefined ? {} : { model: thread.model }),
    ...(thread.sandboxMode === undefined ? {} : { sandbox_mode: thread.sandboxMode }),
    ...(thread.modelReasoningEffort === undefined ? {} : { model_reasoning_effort: thread.modelReasoningEffort }),
    ...(thread.networkAccessEnabled === undefined
      ? {}
      : { sandbox_workspace_write: { network_access: thread.networkAccessEnabled } }),
    ...(search === undefined ? {} : { web_search: search }),
  };
}

function searchMode(enabled: boolean | undefined): CodexWebSearchMode | undefined {
  if (enabled === undefined) return undefined;
  return enabled ? 'live' : 'disabled';
}
