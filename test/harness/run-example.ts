import { join } from 'node:path';
import type { Scene } from './scene.ts';
import { type ConfigTable, scriptedConfig } from './scripted-config.ts';
import { type ProgramResult, type RunningProgram, startProgram } from './start-program.ts';

export const EXAMPLES_FOLDER = join(import.meta.dirname, '../../examples');

export interface ExampleOptions {
  /** Path of the Node that runs it. The default is the running one. */
  readonly node?: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: ConfigTable;
  /** Whether its output is JSON lines. */
  readonly json?: boolean;
}

/** Starts a program of examples/ in the workspace, with the scripted model as its server. */
export async function startExample(s: Scene, name: string, options: ExampleOptions = {}): Promise<RunningProgram> {
  const { node = process.execPath, args = [], stdin, env = {}, config, json = false } = options;
  s.workspace.configure(scriptedConfig(s.model.url, config));
  const { home } = s.workspace;
  return startProgram({
    command: node,
    args: [join(EXAMPLES_FOLDER, name), ...args],
    cwd: s.workspace.path,
    env: { PATH: process.env.PATH ?? '', HOME: home, OXBOW_HOME: home, SCRIPTED_KEY: 'x', ...env },
    json,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

/** Runs a program of examples/ to its end. */
export async function runExample(s: Scene, name: string, options: ExampleOptions = {}): Promise<ProgramResult> {
  return (await startExample(s, name, options)).wait();
}
