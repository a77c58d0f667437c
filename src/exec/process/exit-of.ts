import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** Resolves when a process that was just started has exited, or could not be started. */
export function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** Returns the exit code of a process as a shell reports it: 128 + n when signal n ended the process. */
export function exitCodeOf(code: number | null, name: NodeJS.Signals | null): number {
  return code ?? 128 + (name === null ? 0 : constants.signals[name]);
}
