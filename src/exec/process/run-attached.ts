import { spawn } from 'node:child_process';
import { exitCodeOf } from './exit-of.ts';

/** The end of a program, or the reason why it did not start. */
export type AttachedEnd =
  | { readonly type: 'ended'; readonly code: number }
  | { readonly type: 'missing' }
  | { readonly type: 'refused'; readonly why: string };

export interface AttachedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a terminal sends the keys of the user to the program itself. */
  readonly hasTerminal: boolean;
}

/** Signals that come to this process alone. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2'];
/** Signals of keys. A terminal sends them to all processes in front, so a second one would count as a second key. */
const KEYS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs a program to its end with the terminal and the files of this process. Signals go to the program and do not end
 * this process.
 */
export function runAttached({ command, args, env, hasTerminal }: AttachedProgram): Promise<AttachedEnd> {
  const child = spawn(command, args, { env: { ...env }, stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  const leave = () => undefined;
  const listeners = [
    ...PASSED_ON.map((signal) => [signal, pass] as const),
    ...KEYS.map((signal) => [signal, hasTerminal ? leave : pass] as const),
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const end = new Promise<AttachedEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? { type: 'missing' } : { type: 'refused', why: error.message }),
    );
    child.once('exit', (code, signal) => resolve({ type: 'ended', code: exitCodeOf(code, signal) }));
  });
  return end.finally(() => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  });
}
