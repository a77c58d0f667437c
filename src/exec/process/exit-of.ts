import type { ChildProcess } from 'node:child_process';

/** Resolves when a process that was just started has exited, or could not be started. */
export function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}
