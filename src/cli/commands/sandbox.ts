import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { configuredSandbox, runInSandbox, sandboxLine } from '../../app/commands/run-in-sandbox.ts';
import { ToolFailure, UserError } from '../../base/errors.ts';
import type { SandboxMode, SandboxPolicy } from '../../base/policy.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { requireGuards } from '../../config/unused-keys.ts';
import { printable } from '../../text/visible.ts';
import type { CommandHelp } from '../format-help.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { ORIGINS, wordedMessage } from '../wording.ts';

const MODES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access'];

const options = {
  mode: {
    type: 'string',
    short: 's',
    value: 'MODE',
    values: MODES,
    help: `What the command may touch: ${MODES.join(', ')}`,
  },
  network: { type: 'boolean', help: 'Let it use the network' },
  'allow-domain': {
    type: 'string',
    multiple: true,
    value: 'HOST',
    help: 'Let it reach this host: example.org, *.example.org',
  },
  'add-dir': { type: 'string', multiple: true, value: 'DIR', help: 'Let it write to this folder too' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Run it in this folder' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: {
    type: 'string',
    short: 'p',
    value: 'PROFILE',
    help: 'Use a profile of config.toml, or PROFILE.config.toml',
  },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help: CommandHelp = {
  usage: 'oxbow sandbox [options] -- COMMAND [ARGUMENT…]',
  about: `Runs a command the way the agent runs its commands: under the configured policy, with the same variables, in the
sandbox of this machine. Passes on its input, output and exit code.`,
  options,
  example: 'oxbow sandbox --mode workspace-write --allow-domain example.org -- curl https://example.org',
  more: {
    'Exit codes': [
      'the exit code of the command, or 128 plus the number of the signal that ended it; but',
      '2    wrong usage',
      '125  it was not run: there is no sandbox here, or the configuration is wrong',
      '126  it cannot be executed',
      '127  there is no such command',
    ],
  },
};

const NOT_RUN = 125;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** Runs `oxbow sandbox`: one command under the sandbox policy. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('sandbox', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const mode = values.mode as SandboxMode | undefined;
  if (positionals.length === 0)
    throw new UsageError('Name a command: oxbow sandbox -- COMMAND. See oxbow sandbox --help.');
  try {
    const config = loadConfig({
      origins: ORIGINS,
      overrides: values.config ?? [],
      addDirs: (values['add-dir'] ?? []).map((folder) => resolve(values.cd ?? '.', folder)),
      ...(values.profile === undefined ? {} : { profile: values.profile }),
      ...(values.cd === undefined ? {} : { cwd: values.cd }),
    });
    requireGuards(config);
    const configured = configuredSandbox(config);
    for (const warning of [...config.warnings, ...configured.notices]) printNote(`warning: ${warning}`);
    const policy = policyOf(configured.policy, mode, values);
    return missing(positionals[0] ?? '', config) ?? (await runCommand(positionals, config, policy));
  } catch (error) {
    if (!(error instanceof UserError || error instanceof ToolFailure) || error instanceof UsageError) throw error;
    printNote(`oxbow: ${wordedMessage(error)}`);
    return NOT_RUN;
  }
}

interface PolicyOptions {
  readonly network?: boolean;
  readonly 'allow-domain'?: readonly string[];
}

/** Returns the configured policy with the options of the command line applied. */
function policyOf(sandbox: SandboxPolicy, mode: SandboxMode | undefined, given: PolicyOptions): SandboxPolicy {
  const domains = [...(sandbox.allowedDomains ?? []), ...(given['allow-domain'] ?? [])];
  return {
    ...sandbox,
    mode: mode ?? sandbox.mode,
    network: given.network ?? sandbox.network,
    ...(domains.length === 0 ? {} : { allowedDomains: domains }),
  };
}

async function runCommand(argv: readonly string[], config: Config, policy: SandboxPolicy): Promise<number> {
  if (process.stderr.isTTY) printNote(`${policy.mode}. ${await sandboxLine(config, policy)}`);
  const listening: [NodeJS.Signals, () => void][] = [];
  try {
    return await runInSandbox({
      argv,
      config,
      policy,
      id: realWorld().uuid(),
      streams: process,
      onNote: printNote,
      onRefused: (hosts) => printNote(`Refused: ${hosts.join(', ')}. --allow-domain HOST allows one.`),
      onSignal(listener) {
        for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
          const pass = () => listener(name);
          listening.push([name, pass]);
          process.on(name, pass);
        }
      },
    });
  } finally {
    for (const [name, pass] of listening) process.off(name, pass);
  }
}

function printNote(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/**
 * Prints why a program cannot be started and returns the exit code. Undefined for a program that can. The sandbox could
 * not tell such a program from one that fails.
 */
function missing(program: string, { cwd, env }: Config): number | undefined {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : (env.PATH ?? '')
        .split(':')
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  const files = places.filter(isFile);
  if (files.some(isExecutable)) return undefined;
  printNote(files.length > 0 ? `oxbow: ${program} cannot be executed.` : `oxbow: There is no command ${program}.`);
  return files.length > 0 ? NOT_EXECUTABLE : NOT_FOUND;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
