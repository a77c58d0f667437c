import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Our `apply_patch`, as commands of the agent find it. */
export const APPLY_PATCH = join(import.meta.dirname, '../../../bin/path/apply_patch');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandRun {
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end. */
export function runCommand(program: string, { cwd, args = [], stdin = '', env = {} }: CommandRun): CommandResult {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', OXBOW_NODE: process.execPath, ...env },
    input: stdin,
  });
  if (error) throw error;
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Returns a patch in the format of the tool. */
export function patchOf(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
}
