import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import type { ApprovalPolicy, Policy } from '../base/policy.ts';
import type { ProviderSettings } from '../base/provider.ts';
import { type Env, findHome } from './home.ts';
import type { Layer } from './layers.ts';
import { parseOverride, parseToml } from './parse-toml.ts';
import { findProject, type Project } from './project.ts';
import { readProviders } from './providers.ts';
import { readSettings } from './read-settings.ts';
import { readSandbox } from './sandbox.ts';
import { findShell } from './shell.ts';
import { readShellEnvironment, type ShellEnvironmentSettings } from './shell-environment.ts';
import { findTimezone } from './timezone.ts';

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
  readonly reasoningEffort: string | null;
  readonly reasoningSummary: 'auto' | 'concise' | 'detailed' | 'none';
  readonly policy: Policy;
  readonly shellEnvironment: ShellEnvironmentSettings;
  /** Which tool runs commands. */
  readonly commandTool: 'exec_command' | 'shell';
  /** Tokens of one output before the model; null: the model's own limit. */
  readonly toolOutputTokenLimit: number | null;
  readonly repairArgv: boolean;
}

export interface LoadOptions {
  /** Default: the environment of this process. */
  readonly env?: Env;
  /** Default: the working directory of this process. */
  readonly cwd?: string;
  /** `key=value`, as after -c. */
  readonly overrides?: readonly string[];
  /** Settings by their keys in config.toml; they win over everything else. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly addDirs?: readonly string[];
}

/** Reads config.toml, the overrides and the flags. Throws `UserError` with a sentence that says what to mend. */
export function loadConfig(options: LoadOptions = {}): Config {
  const env = options.env ?? process.env;
  const home = resolve(findHome(env));
  const cwd = existingFolder(resolve(options.cwd ?? process.cwd()));
  const settings = readSettings([
    ...fileLayers(join(home, 'config.toml')),
    ...(options.overrides ?? []).map((override) => ({ origin: `-c ${override}`, table: parseOverride(override) })),
    { origin: 'command line', table: options.settings ?? {} },
  ]);
  const project = findProject(cwd, settings);
  const approval: ApprovalPolicy = settings.oneOf(['never', 'on-request'], 'approval_policy') ?? 'on-request';
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
    reasoningEffort: settings.string('model_reasoning_effort') ?? null,
    reasoningSummary: settings.oneOf(['auto', 'concise', 'detailed', 'none'], 'model_reasoning_summary') ?? 'auto',
    policy: { approval, sandbox: readSandbox(settings, { cwd, project, env, addDirs: options.addDirs ?? [] }) },
    shellEnvironment: readShellEnvironment(settings),
    commandTool: settings.oneOf(['exec_command', 'shell'], 'tools', 'command') ?? 'exec_command',
    toolOutputTokenLimit: settings.number('tool_output_token_limit') ?? null,
    repairArgv: settings.boolean('repairs', 'argv_operators') ?? true,
  });
}

function fileLayers(path: string): Layer[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new UserError(`${path} cannot be read: ${messageOf(error)}`);
  }
  return [{ origin: path, table: parseToml(text, path) }];
}

function existingFolder(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new UserError(`${path} is not a folder.`);
  return path;
}
