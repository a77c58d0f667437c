import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScriptedModel, TempWorkspace } from '../../src/testing/index.ts';
import { expectPrintedItems } from './compare-transcripts.ts';
import { expectNoSecret } from './expect-no-secret.ts';
import { isGenuine, replayNow } from './replay-rollouts.ts';
import { type ConfigTable, scriptedConfig } from './scripted-config.ts';
import { type ProgramOptions, type ProgramResult, type RunningProgram, startProgram } from './start-program.ts';

export interface OxbowOptions extends Pick<ProgramOptions, 'stdin' | 'keepStdinOpen' | 'timeoutMs'> {
  readonly workspace: TempWorkspace;
  /** A model that the config.toml of the home is written for. Without one, config.toml stays as it is. */
  readonly model?: Pick<ScriptedModel, 'url'>;
  /** Additions to the config.toml that is written for the model. */
  readonly config?: ConfigTable;
  /** Additions to the environment, which is otherwise almost empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** The workspace by default. */
  readonly cwd?: string;
  /** A command that starts the program, which is its last argument. */
  readonly wrap?: readonly string[];
  /** The program always gets pipes. */
  readonly tty?: false;
}

/** The key of the scripted model. No run may print or store it. */
const HARNESS_KEY = 'scripted-key';

export const PROGRAM = fileURLToPath(new URL('../../bin/oxbow', import.meta.url));

/** Reports whether --json prints a line for each event, and not one value. */
function printsLines([command, next = '-', ...more]: readonly string[]): boolean {
  if (command === 'gateway') return next.startsWith('-') && ![next, ...more].includes('--for');
  return command === 'exec';
}

/** Runs the real program to its end. */
export async function runOxbow(args: readonly string[], options: OxbowOptions): Promise<ProgramResult> {
  const program = await startOxbow(args, options);
  return program.wait();
}

/** Starts the real program in the workspace, with the workspace's home and the scripted model. */
export async function startOxbow(args: readonly string[], options: OxbowOptions): Promise<RunningProgram> {
  const { workspace, model, config, env, cwd, wrap = [], tty: _, ...rest } = options;
  const [command = PROGRAM, ...words] = [...wrap, PROGRAM, ...args];
  if (config && !model) throw new Error('`config` adds to the config of a `model`: use `workspace.configure` instead.');
  if (model) workspace.configure(scriptedConfig(model.url, config));
  const startedAt = Date.now();
  const program = await startProgram({
    ...rest,
    command,
    args: words,
    cwd: cwd ?? workspace.path,
    env: { ...cleanEnvironment(workspace), ...env },
    json: printsLines(args) && (args.includes('--json') || args.includes('--experimental-json')),
  });
  const wait = async () => {
    const result = await program.wait();
    expectNoSecret(HARNESS_KEY, { home: workspace.home, since: startedAt, result });
    await replayNow(workspace.home);
    // A review is printed in words; the log has it as the model wrote it.
    const isCompared = isGenuine() && result.signal === null && !args.includes('review');
    const rawReasoning = config?.show_raw_agent_reasoning === true;
    if (isCompared) await expectPrintedItems(workspace.home, result.events, rawReasoning);
    return result;
  };
  return { ...program, wait };
}

/** Returns an environment that is almost empty. */
export function cleanEnvironment(workspace: TempWorkspace): Record<string, string> {
  return {
    // The Node that runs the tests also runs the program.
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: workspace.home,
    OXBOW_HOME: workspace.home,
    LANG: 'C.UTF-8',
    SCRIPTED_KEY: HARNESS_KEY,
  };
}
