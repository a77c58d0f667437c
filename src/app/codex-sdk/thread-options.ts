import { isRecord } from '../../base/json-schema.ts';
import type { AgentOptions } from '../agent-options.ts';
import type { CodexOptions } from './codex-options.ts';

export type ApprovalMode = 'never' | 'on-request' | 'on-failure' | 'untrusted';
export type CodexSandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';
export type ModelReasoningEffort = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'ultra' | 'persistent';
export type CodexWebSearchMode = 'disabled' | 'cached' | 'live';

/** Options of a thread, with the names and meanings of the Codex SDK. */
export interface CodexThreadOptions {
  readonly model?: string;
  readonly threadSource?: string;
  readonly sandboxMode?: CodexSandboxMode;
  readonly workingDirectory?: string;
  readonly skipGitRepoCheck?: boolean;
  readonly modelReasoningEffort?: ModelReasoningEffort;
  readonly networkAccessEnabled?: boolean;
  readonly webSearchMode?: CodexWebSearchMode;
  readonly webSearchEnabled?: boolean;
  /** Accepted and ignored: the policy is always `never`, because this interface has no way to ask the user. */
  readonly approvalPolicy?: ApprovalMode;
  readonly additionalDirectories?: readonly string[];
}

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

/** Returns a tree of settings as `key=value` overrides, one for each leaf, with values in TOML. */
function toOverrides(config: Readonly<Record<string, unknown>>, path: readonly string[] = []): string[] {
  return Object.entries(config).flatMap(([key, value]) => {
    const below = [...path, /^[\w-]+$/.test(key) ? key : JSON.stringify(key)];
    if (value === undefined) return [];
    return isRecord(value) ? toOverrides(value, below) : [`${below.join('.')}=${toToml(value)}`];
  });
}

function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)} = ${toToml(field)}`);
  return `{ ${fields.join(', ')} }`;
}
