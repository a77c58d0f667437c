import type { Policy, SandboxPolicy } from '../base/policy.ts';
import type { ModelPrice } from '../base/price.ts';
import type { ProviderSettings } from '../base/provider.ts';
import { readApproval } from './approval.ts';
import type { Env } from './home.ts';
import type { LoadOptions } from './load-options.ts';
import type { Project } from './project.ts';
import { readSources, type Sources } from './read-sources.ts';
import { findShell } from './shell.ts';
import { type CompactionConfig, readCompaction } from './tables/compaction.ts';
import { type GatewayConfig, readGateway } from './tables/gateway.ts';
import { readModelPrices } from './tables/model-prices.ts';
import { readSandbox } from './tables/policy.ts';
import { type ProjectDocs, readProjectDocs } from './tables/project-docs.ts';
import { readProviders } from './tables/providers.ts';
import { type RulesConfig, readRules } from './tables/rules.ts';
import { readShellEnvironment, type ShellEnvironmentSettings } from './tables/shell-environment.ts';
import { readSnapshots, type SnapshotsConfig } from './tables/snapshots.ts';
import { readTools, type ToolsConfig } from './tables/tools.ts';
import { findTimezone } from './timezone.ts';

export type { LoadOptions } from './load-options.ts';

/** Everything that is configured, read once and frozen. */
export interface Config {
  readonly home: string;
  readonly cwd: string;
  readonly project: Project;
  /** The environment variables that the configuration was read with. */
  readonly env: Env;
  readonly timezone: string;
  /** The user's shell, an absolute path. */
  readonly shell: string;
  /** Null: the provider's default. */
  readonly model: string | null;
  readonly modelProvider: string;
  readonly modelProviders: Readonly<Record<string, ProviderSettings>>;
  readonly openaiBaseUrl: string | null;
  /** What models cost, by the name of a model or `PROVIDER/MODEL`. */
  readonly modelPrices: Readonly<Record<string, ModelPrice>>;
  readonly reasoningEffort: string | null;
  readonly reasoningSummary: 'auto' | 'concise' | 'detailed' | 'none';
  readonly verbosity: 'low' | 'medium' | 'high' | null;
  /** Replaces the base instructions; an absolute path. */
  readonly modelInstructionsFile: string | null;
  /** The user's own instructions. */
  readonly instructions: string | null;
  /** For a developer message of its own. */
  readonly developerInstructions: string | null;
  /** AGENTS.md files. */
  readonly projectDocs: ProjectDocs;
  /** Without the rules, which lie in files of their own. */
  readonly policy: Policy;
  readonly rules: RulesConfig;
  readonly shellEnvironment: ShellEnvironmentSettings;
  readonly tools: ToolsConfig;
  /** Tokens of one output before the model; null: the model's own limit. */
  readonly toolOutputTokenLimit: number | null;
  readonly compaction: CompactionConfig;
  readonly repairArgv: boolean;
  /** Whether reasoning is shown as the model wrote it, beside its summary. */
  readonly showRawReasoning: boolean;
  readonly logLevel: 'off' | 'error' | 'info' | 'debug';
  readonly snapshots: SnapshotsConfig;
  readonly gateway: GatewayConfig;
  /** Sentences for the user about settings that were ignored or are not carried out to the letter. */
  readonly warnings: readonly string[];
}

/** Reads all sources of settings. Throws `UserError` with a sentence that says what to repair. */
export function loadConfig(options: LoadOptions = {}): Config {
  return readConfig(readSources(options), options.addDirs ?? []);
}

/** What the sources say. `addDirs` are the folders of --add-dir. */
export function readConfig(sources: Sources, addDirs: readonly string[]): Config {
  const { home, cwd, project, env, settings } = sources;
  const sandbox = readSandbox(sources, addDirs);
  return Object.freeze<Config>({
    home,
    cwd,
    project,
    env,
    timezone: findTimezone(env),
    shell: findShell(env),
    model: settings.string('model') ?? null,
    modelProvider: settings.string('model_provider') ?? 'openai',
    modelProviders: readProviders(settings),
    openaiBaseUrl: settings.string('openai_base_url') ?? null,
    modelPrices: readModelPrices(settings),
    reasoningEffort: settings.string('model_reasoning_effort') ?? null,
    reasoningSummary: settings.oneOf(['auto', 'concise', 'detailed', 'none'], 'model_reasoning_summary') ?? 'auto',
    verbosity: settings.oneOf(['low', 'medium', 'high'], 'model_verbosity') ?? null,
    modelInstructionsFile: settings.file('model_instructions_file') ?? null,
    instructions: settings.string('instructions') ?? null,
    developerInstructions: settings.string('developer_instructions') ?? null,
    projectDocs: readProjectDocs(sources),
    policy: {
      approval: readApproval(settings),
      sandbox,
      destructivePatches: settings.oneOf(['ask', 'allow'], 'destructive_patches') ?? 'ask',
    },
    rules: readRules(sources),
    shellEnvironment: readShellEnvironment(settings),
    tools: readTools(settings),
    toolOutputTokenLimit: settings.number('tool_output_token_limit') ?? null,
    compaction: readCompaction(settings),
    repairArgv: settings.boolean('repairs', 'argv_operators') ?? true,
    showRawReasoning: settings.boolean('show_raw_agent_reasoning') ?? false,
    logLevel: settings.oneOf(['off', 'error', 'info', 'debug'], 'log_level') ?? 'info',
    snapshots: readSnapshots(settings),
    gateway: readGateway(settings),
    warnings: [...sources.warnings, ...sandboxWarnings(sandbox)],
  });
}

/** What the user asked for and a sandbox would have to do, where there is none. */
function sandboxWarnings({ mode, denyRead }: SandboxPolicy): string[] {
  if (mode !== 'danger-full-access' || denyRead === undefined) return [];
  return ['deny_read has no effect with sandbox_mode = "danger-full-access": commands can read these files.'];
}
