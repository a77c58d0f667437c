import { join } from 'node:path';
import { expect } from 'vitest';
import { isCallOutput } from '../../../src/base/item.ts';
import { call, reply, type Script, type ScriptFunction, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../harness/scripted-config.ts';
import { startProgram } from '../../harness/start-program.ts';

const LIBRARY = join(import.meta.dirname, '../../../dist/index.js');

const BEGIN = `
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { createAgent } from ${JSON.stringify(LIBRARY)};
const agent = createAgent();
const open = () => readdirSync('/proc/self/fd').length;
const tell = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
`;

interface RunSettings {
  readonly config?: ConfigTable;
  /** Redirections of the shell that starts the program. */
  readonly inherits?: string;
  /** Options of Node. */
  readonly node?: readonly string[];
}

/** Runs a program that uses the built library, in a process with a limit of open files. Returns the lines it prints. */
export async function runLimited(
  limit: number,
  code: string,
  script: Script,
  { config = {}, inherits = '', node = [] }: RunSettings = {},
): Promise<unknown[]> {
  const s = await scene(script);
  s.workspace.configure(scriptedConfig(s.model.url, config));
  const program = await startProgram({
    command: '/bin/bash',
    args: [
      '-c',
      `ulimit -n ${limit}; exec "$0" "$@" ${inherits}`,
      process.execPath,
      ...node,
      '--input-type=module',
      '-e',
      `${BEGIN}${code}\nawait agent.close();`,
    ],
    cwd: s.workspace.path,
    env: { PATH: process.env.PATH ?? '', HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, SCRIPTED_KEY: 'x' },
  });
  const { stdout, stderr, code: exitCode } = await program.wait();
  expect([stderr, exitCode]).toEqual(['', 0]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** Returns a script in which the model runs a command once in each turn. The outputs that it reads go into the list. */
export function oneCommand(cmd = 'echo hello', outputs: string[] = []): ScriptFunction {
  return ({ body }) => {
    const last = body.input?.at(-1) as Parameters<typeof isCallOutput>[0];
    if (!isCallOutput(last)) return reply(call('exec_command', { cmd }));
    outputs.push(String(last.output));
    return reply(say('done'));
  };
}
