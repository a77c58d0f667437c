import { type Config, readConfig } from './load-config.ts';
import type { LoadOptions } from './load-options.ts';
import { readSources, type Sources } from './read-sources.ts';
import { keyText } from './setting/key-text.ts';
import { keysBelow, lookup } from './setting/layers.ts';
import { visibleValue } from './setting/visible-value.ts';
import { SETTINGS, type Setting } from './settings-list.ts';

export interface Explanation {
  readonly settings: readonly ExplainedSetting[];
  readonly warnings: readonly string[];
}

export interface ExplainedSetting {
  /** As in config.toml, dotted. */
  readonly key: string;
  /** As it was written, secrets hidden; the default where nothing was. Null: none. */
  readonly value: unknown;
  /** Where it was written, or `default`. */
  readonly origin: string;
}

/** Every setting with its value and where that comes from. Throws what `loadConfig` throws. */
export function explainConfig(options: LoadOptions = {}): Explanation {
  const sources = readSources(options);
  const config = readConfig(sources, options.addDirs ?? []);
  const settings = SETTINGS.flatMap((setting) =>
    isFixed(setting) ? [explainFixed(setting, sources, config)] : explainChosen(setting.split('.'), sources),
  );
  return { settings, warnings: config.warnings };
}

/** A setting whose key holds no name that the user chose. */
type Fixed = Exclude<Setting, `${string}*${string}`>;

const isFixed = (setting: Setting): setting is Fixed => !setting.includes('*');

const DEFAULTS: Readonly<Record<Fixed, (config: Config) => unknown>> = {
  profile: () => null,
  model: (config) => config.model,
  model_provider: (config) => config.modelProvider,
  openai_base_url: (config) => config.openaiBaseUrl,
  model_reasoning_effort: (config) => config.reasoningEffort,
  model_reasoning_summary: (config) => config.reasoningSummary,
  model_verbosity: (config) => config.verbosity,
  model_instructions_file: (config) => config.modelInstructionsFile,
  instructions: (config) => config.instructions,
  developer_instructions: (config) => config.developerInstructions,
  project_doc_max_bytes: (config) => config.projectDocs.maxBytes,
  project_doc_fallback_filenames: () => [],
  project_root_markers: () => ['.git'],
  approval_policy: (config) => config.policy.approval,
  sandbox_mode: (config) => config.policy.sandbox.mode,
  'sandbox_workspace_write.writable_roots': () => [],
  'sandbox_workspace_write.network_access': (config) => config.policy.sandbox.network,
  'sandbox_workspace_write.exclude_slash_tmp': () => false,
  'sandbox_workspace_write.exclude_tmpdir_env_var': () => false,
  'sandbox_workspace_write.allowed_domains': () => [],
  deny_read: () => [],
  unix_sockets: () => 'deny',
  destructive_patches: (config) => config.policy.destructivePatches,
  'rules.files': () => [],
  'rules.ignore': () => false,
  'shell_environment_policy.inherit': (config) => config.shellEnvironment.inherit,
  'shell_environment_policy.ignore_default_excludes': (config) => config.shellEnvironment.ignoreDefaultExcludes,
  'shell_environment_policy.exclude': (config) => config.shellEnvironment.exclude,
  'shell_environment_policy.include_only': (config) => config.shellEnvironment.includeOnly,
  'tools.command': () => null,
  'tools.shell_output': () => null,
  'tools.max_terminals': (config) => config.tools.maxTerminals,
  background_terminal_max_timeout: (config) => config.tools.maxPollMs,
  'tools.update_plan': (config) => config.tools.updatePlan,
  include_plan_tool: () => null,
  'tools.apply_patch': () => null,
  include_apply_patch_tool: () => null,
  'tools.view_image': () => null,
  include_view_image_tool: () => null,
  web_search: () => null,
  'tools.web_search.enabled': () => null,
  'tools.web_search.mode': () => null,
  'tools.web_search.command': () => null,
  'tools.web_search.context_size': () => null,
  'tools.web_search.allowed_domains': () => [],
  'tools.web_search.location.country': () => null,
  'tools.web_search.location.region': () => null,
  'tools.web_search.location.city': () => null,
  'tools.web_search.location.timezone': () => null,
  'tools.web_search_request': () => null,
  tools_web_search_request: () => null,
  tool_output_token_limit: (config) => config.toolOutputTokenLimit,
  model_context_window: (config) => config.compaction.window,
  model_auto_compact_token_limit: () => null,
  compact_prompt: (config) => config.compaction.prompt,
  experimental_compact_prompt_file: (config) => config.compaction.promptFile,
  show_raw_agent_reasoning: (config) => config.showRawReasoning,
  'repairs.argv_operators': (config) => config.repairArgv,
  log_level: (config) => config.logLevel,
  'snapshots.enabled': (config) => config.snapshots.enabled,
  'snapshots.max_files': (config) => config.snapshots.maxFiles,
  'snapshots.max_bytes': (config) => config.snapshots.maxBytes,
  'snapshots.max_file_bytes': (config) => config.snapshots.maxFileBytes,
  'snapshots.timeout_ms': (config) => config.snapshots.timeoutMs,
  'snapshots.keep_days': (config) => config.snapshots.keepDays,
  'gateway.host': (config) => config.gateway.host,
  'gateway.port': (config) => config.gateway.port,
  'gateway.key_env': (config) => config.gateway.keyEnv,
  'gateway.provider': (config) => config.gateway.provider,
  'gateway.model': (config) => config.gateway.model,
  'gateway.single_call': (config) => config.gateway.singleCall,
  'gateway.max_body_bytes': (config) => config.gateway.limits.maxBodyBytes,
  'gateway.max_exchanges': (config) => config.gateway.limits.maxExchanges,
  'gateway.max_exchange_ms': (config) => config.gateway.limits.maxExchangeMs,
  'gateway.idle_timeout_ms': (config) => config.gateway.limits.idleTimeoutMs,
  'gateway.store_ttl_ms': (config) => config.gateway.store.ttlMs,
  'gateway.store_max_entries': (config) => config.gateway.store.maxEntries,
  'gateway.store_max_bytes': (config) => config.gateway.store.maxBytes,
};

/** A setting that says the same under an older name, where it is not set itself. */
const OLDER_NAMES: Partial<Record<Fixed, Fixed>> = {
  'tools.update_plan': 'include_plan_tool',
  'tools.apply_patch': 'include_apply_patch_tool',
  'tools.view_image': 'include_view_image_tool',
};

function explainFixed(setting: Fixed, { layers }: Sources, config: Config): ExplainedSetting {
  const path = setting.split('.');
  const found = lookup(layers, path) ?? lookup(layers, [OLDER_NAMES[setting] ?? '']);
  if (found === undefined) return { key: setting, value: DEFAULTS[setting](config), origin: 'default' };
  return { key: setting, value: visibleValue(path, found.value), origin: found.layer.origin };
}

/** The settings in tables whose names the user chose: those that are there. */
function explainChosen(pattern: readonly string[], { layers, cwd, project }: Sources): ExplainedSetting[] {
  return pathsLike(pattern, [])
    .filter(([table, folder]) => table !== 'projects' || folder === cwd || folder === project.root)
    .flatMap((path) => {
      const found = lookup(layers, path);
      if (found === undefined) return [];
      return [{ key: keyText(path), value: visibleValue(path, found.value), origin: found.layer.origin }];
    });

  function pathsLike([name, ...rest]: readonly string[], path: readonly string[]): (readonly string[])[] {
    if (name === undefined) return [path];
    const names = name === '*' ? keysBelow(layers, path) : [name];
    return names.flatMap((next) => pathsLike(rest, [...path, next]));
  }
}
