import { delimiter, join } from 'node:path';
import type { Scene } from '../../harness/scene.ts';
import { type ProgramResult, startProgram } from '../../harness/start-program.ts';
import { isServer } from './doc-examples.ts';
import { REPOSITORY } from './doc-pages.ts';

/** Runs a command as a shell would, with both outputs as one. A server is ended once it listens. */
export async function runShown({ workspace }: Pick<Scene, 'workspace'>, command: string): Promise<ProgramResult> {
  const program = await startProgram({
    command: '/bin/bash',
    args: ['-c', isServer(command) ? `exec ${command} --json` : `{ ${command}\n} 2>&1`],
    cwd: workspace.path,
    env: environmentOf(workspace.home),
    json: isServer(command),
  });
  if (isServer(command)) {
    await program.waitForEvent(({ type }) => type === 'gateway.started');
    program.kill('SIGTERM');
  }
  return program.wait();
}

/** Returns the environment of an example: the built program on the PATH, and a home for it. */
export function environmentOf(home: string): Record<string, string> {
  const path = [join(REPOSITORY, 'bin'), process.env.PATH ?? ''].join(delimiter);
  const keys = { SCRIPTED_KEY: 'x', OPENAI_API_KEY: 'sk-x', WORK_KEY: 'sk-w' };
  return { PATH: path, HOME: home, OXBOW_HOME: home, LANG: 'C.UTF-8', ...keys };
}
