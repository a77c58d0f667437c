import { type ChildProcess, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Scene } from './scene.ts';

/** Path of Codex. Most machines do not have it, and it is not what is tested. */
export const CODEX = process.env.OXBOW_CODEX;

/** Runs `codex exec` in the workspace, on the same home and model as Oxbow. Returns its standard output. */
export async function runCodex({ workspace }: Pick<Scene, 'workspace'>, ...args: readonly string[]): Promise<string> {
  const running = start(workspace, ['exec', ...EXEC_FLAGS, ...args]);
  return (await running).stdout;
}

/** Starts `codex exec`, to be killed. */
export function startCodex({ workspace }: Pick<Scene, 'workspace'>, ...args: readonly string[]): ChildProcess {
  const running = start(workspace, ['exec', ...EXEC_FLAGS, ...args]);
  running.catch(() => {});
  return running.child;
}

/** Runs another command of Codex on the home of the workspace. Resolves with its exit code and its messages. */
export async function codexCommand(
  { workspace }: Pick<Scene, 'workspace'>,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly text: string }> {
  const { home, path } = workspace;
  const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home };
  const running = promisify(execFile)(CODEX ?? '', args, { env, cwd: path, timeout: 60_000 });
  running.child.stdin?.end(input);
  try {
    const { stdout, stderr } = await running;
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

const EXEC_FLAGS = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];

function start({ home, path }: Scene['workspace'], args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, SCRIPTED_KEY: 'k' };
  const running = promisify(execFile)(CODEX ?? '', args, { env, cwd: path, timeout: 60_000 });
  running.child.stdin?.end();
  return running;
}
