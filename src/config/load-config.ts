import { existsSync } from 'node:fs';
import type { Policy, SandboxPolicy } from '../base/policy.ts';
import type { LoadOptions } from './load-options.ts';
import { type PlainSettings, readPlainSettings } from './plain-settings.ts';
import type { Project } from './project.ts';
import { type ProjectDocs, readProjectDocs } from './project-docs.ts';
import { readSources } from './read-sources.ts';
import { readTable } from './setting/setting.ts';
import type { Sources, UnusedKey } from './sources.ts';
import { AUTH_SETTINGS, type AuthConfig } from './tables/auth.ts';
import { COMPACTION_SETTINGS, type CompactionConfig } from './tables/compaction.ts';
import { type GatewayConfig, readGateway } from './tables/gateway.ts';
import { type ModelTables, readModelTables } from './tables/models.ts';
import { readPolicy } from './tables/policy.ts';
import { type ModelProviders, readProviders } from './tables/providers.ts';
import { type RulesConfig, readRules } from './tables/rules.ts';
import { SHELL_ENVIRONMENT_SETTINGS, type ShellEnvironmentSettings } from './tables/shell-environment.ts';
import { SNAPSHOT_SETTINGS, type SnapshotsConfig } from './tables/snapshots.ts';
import { readTools, type ToolsConfig } from './tables/tools.ts';
import { TUI_SETTINGS, type TuiConfig } from './tables/tui.ts';
import { findTimezone } from './timezone.ts';

export type { LoadOptions } from './load-options.ts';

/** Configuration of an agent, read once and frozen. */
export interface Config extends PlainSettings, ModelTables {
  readonly home: string;
  /** Whether no file is read that the options do not name. */
  readonly hermetic: boolean;
  /** Whether files may be written to the home. */
  readonly usesHome: boolean;
  readonly cwd: string;
  readonly project: Project;
  /** Environment variables that the configuration was read with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timezone: string;
  /** The user's shell, an absolute path. */
  readonly shell: string;
  /** Settings of sign-ins. */
  readonly auth: AuthConfig;
  readonly modelProviders: ModelProviders;
  /** AGENTS.md files. */
  readonly projectDocs: ProjectDocs;
  /** Without the rules, which stand in files of their own. */
  readonly policy: Policy;
  readonly rules: RulesConfig;
  readonly shellEnvironment: ShellEnvironmentSettings;
  readonly tools: ToolsConfig;
  readonly compaction: CompactionConfig;
  readonly snapshots: SnapshotsConfig;
  readonly gateway: GatewayConfig;
  /** Settings of the interactive terminal. */
  readonly tui: TuiConfig;
  /** Keys of Codex that have no effect here. */
  readonly unused: readonly UnusedKey[];
  /** Sentences for the user about settings that were ignored or have no effect. */
  readonly warnings: readonly string[];
}

/** Reads all sources of settings. Throws `UserError` with a sentence that says what to repair. */
export function loadConfig(options: LoadOptions = {}): Config {
  return readConfig(readSources(options), options.addDirs ?? []);
}

/** Reads the configuration from its sources. `addDirs` are the folders of --add-dir. */
export function readConfig(sources: Sources, addDirs: readonly string[]): Config {
  const { home, hermetic, usesHome, cwd, project, env, settings } = sources;
  const plain = readPlainSettings(settings);
  const policy = limited(readPolicy(sources, addDirs), plain);
  return Object.freeze<Config>({
    home,
    hermetic,
    usesHome,
    cwd,
    project,
    env,
    timezone: hermetic ? findTimezone({ TZ: 'UTC', ...env }) : findTimezone(env),
    shell: findShell(env),
    ...plain,
    auth: readTable(AUTH_SETTINGS, settings),
    modelProviders: readProviders(settings),
    ...readModelTables(settings),
    projectDocs: readProjectDocs(sources),
    policy,
    rules: readRules(sources),
    shellEnvironment: readTable(SHELL_ENVIRONMENT_SETTINGS, settings),
    tools: readTools(settings),
    compaction: readTable(COMPACTION_SETTINGS, settings),
    snapshots: readTable(SNAPSHOT_SETTINGS, settings),
    gateway: readGateway(settings),
    tui: readTable(TUI_SETTINGS, settings),
    unused: sources.unused,
    warnings: [...sources.warnings, ...sandboxWarnings(policy.sandbox)],
  });
}

/** Returns a policy in which commands have no network if Oxbow is offline. */
function limited(policy: Policy, { offline }: Pick<Config, 'offline'>): Policy {
  if (!offline) return policy;
  const { allowedDomains: _, ...sandbox } = policy.sandbox;
  return { ...policy, sandbox: { ...sandbox, network: false } };
}

/** Returns the user's shell where Oxbow knows how to drive it, otherwise one that every machine has. */
function findShell({ SHELL }: Config['env']): string {
  if (SHELL && /^\/.*\/(bash|zsh|sh)$/.test(SHELL) && existsSync(SHELL)) return SHELL;
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}

/** Returns warnings about settings that need a sandbox, where there is none. */
function sandboxWarnings({ mode, denyRead }: SandboxPolicy): string[] {
  if (mode !== 'danger-full-access' || denyRead === undefined) return [];
  return ['deny_read has no effect with sandbox_mode = "danger-full-access": commands can read these files.'];
}
