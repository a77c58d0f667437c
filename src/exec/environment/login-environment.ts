import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEvents, StartedProcess } from '../output/started-process.ts';
import { killTree, type ProcessTree } from '../process/kill-tree.ts';
import { isShortage } from '../process/spawn-failure.ts';

export interface LoginShell {
  /** Starts the shell, in a sandbox or not. */
  start(events: ProcessEvents): Promise<StartedProcess>;
  /** Beginning of an entry of the environment that everything of the shell has. */
  readonly mark: string;
  /**
   * A word that no profile prints. It begins with a letter, since a digit would become part of the escape before it.
   */
  readonly separator: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the shell took too long. */
  onSlow?(): void;
  /**
   * Called with a promise that resolves when the shell has exited. The shell may exit after its variables were read.
   */
  onStart?(exited: Promise<void>): void;
}

/** Variables that describe the shell itself and not the user's settings. */
const OWN_TO_THE_SHELL = ['_', 'SHLVL', 'PWD', 'OLDPWD'];
const OUTPUT_LIMIT = 4 * 1024 * 1024;

/**
 * Returns the variables that a login shell has after its profile; undefined when the shell fails or takes too long.
 * Other output of the profile and processes that the profile leaves running have no effect. Rejects where the system lacks something
 * for now.
 */
export async function captureLoginEnvironment(shell: LoginShell): Promise<Record<string, string> | undefined> {
  try {
    shell.signal.throwIfAborted();
    return await readVariables(shell);
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

/** Returns the words of a login shell that prints its variables between two separators. */
export function loginShellArgv(shell: string, separator: string): string[] {
  // Not "exec env": the second separator marks the end, since a process of the profile may hold the output open.
  return [shell, '-lc', `printf '\\0${separator}\\0'; env -0; printf '${separator}\\0'`];
}

async function readVariables(shell: LoginShell): Promise<Record<string, string> | undefined> {
  let onExit = () => {};
  const exited = new Promise<void>((resolve) => {
    onExit = resolve;
  });
  const read = createReading(shell.separator, onExit);
  const started = await shell.start(read.events);
  shell.onStart?.(exited);
  const giveUp = new AbortController();
  const stop = () => giveUp.abort();
  shell.signal.addEventListener('abort', stop);
  if (shell.signal.aborted) stop();
  try {
    const late = delay(shell.timeoutMs, 'late' as const, { signal: giveUp.signal }).catch(() => 'ended' as const);
    const result = await Promise.race([read.variables, late]);
    if (typeof result !== 'string') return result;
    if (result === 'late') shell.onSlow?.();
    await end(started, exited, shell.mark);
    return undefined;
  } finally {
    stop();
    shell.signal.removeEventListener('abort', stop);
    started.abandonOutput();
  }
}

/** Time for a profile to remove its locks and temporary files. */
const CLEAN_UP_MS = 2000;

/** Ends the shell. A profile that was killed at once would leave its locks behind. */
async function end({ pid, isSupervised, signal }: StartedProcess, exited: Promise<void>, mark: string): Promise<void> {
  signal('SIGTERM');
  let isRunning = true;
  const gone = exited.then(() => {
    isRunning = false;
  });
  const over = new AbortController();
  await Promise.race([gone, delay(CLEAN_UP_MS, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
  await killTree((): ProcessTree => {
    const roots = isRunning ? [pid] : [];
    return { roots, supervisors: isSupervised ? roots : [], mark };
  });
}

/**
 * Returns the events of a shell and the variables that it prints: undefined when it ends before, or prints too much.
 * `onExit` is called at its exit.
 */
function createReading(separator: string, onExit: () => void) {
  let printed = Buffer.alloc(0);
  let finish: (variables: Record<string, string> | undefined) => void = () => {};
  const variables = new Promise<Record<string, string> | undefined>((resolve) => {
    finish = resolve;
  });
  const events: ProcessEvents = {
    data(bytes) {
      if (printed.length > OUTPUT_LIMIT) return;
      printed = Buffer.concat([printed, bytes]);
      const found = parsePrinted(printed.toString('utf8'), separator);
      if (found !== undefined || printed.length > OUTPUT_LIMIT) finish(found);
    },
    outputEnded: () => finish(undefined),
    exited() {
      onExit();
      // Bytes that are still in the pipe come before.
      setTimeout(() => finish(undefined), TRAILING_MS).unref();
    },
  };
  return { events, variables };
}

/** Longest wait for the output of a shell that has exited. */
const TRAILING_MS = 50;

/** Returns the variables between the two separators; undefined while the second is missing. */
export function parsePrinted(printed: string, separator: string): Record<string, string> | undefined {
  const opening = `\0${separator}\0`;
  const from = printed.indexOf(opening);
  if (from < 0) return undefined;
  const entries = printed.slice(from + opening.length).split('\0');
  const to = entries.indexOf(separator);
  if (to < 0) return undefined;
  const variables: Record<string, string> = {};
  for (const entry of entries.slice(0, to)) {
    const equals = entry.indexOf('=');
    if (equals > 0) variables[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  for (const name of OWN_TO_THE_SHELL) delete variables[name];
  return variables;
}
