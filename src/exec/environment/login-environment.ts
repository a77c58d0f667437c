import { exitOf } from '../process/exit-of.ts';
import { killTreeSync } from '../process/kill-tree.ts';
import type { Launch } from '../process/launch.ts';
import type { MarkedProcess } from '../process/marked-process.ts';
import type { SpawnSettings } from '../start/command-starter.ts';

export interface LoginShell extends Pick<SpawnSettings, 'env' | 'mark'> {
  /** Launch of the shell, in a sandbox or not. */
  readonly launch: Launch;
  spawn(launch: Launch, settings: SpawnSettings): MarkedProcess;
  /**
   * A word that no profile prints. It begins with a letter, since a digit would become part of the escape before it.
   */
  readonly separator: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
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
 * Other output of the profile and processes that the profile leaves running have no effect. Never rejects.
 */
export async function captureLoginEnvironment(shell: LoginShell): Promise<Record<string, string> | undefined> {
  try {
    shell.signal.throwIfAborted();
    return await readVariables(start(shell), shell);
  } catch {
    shell.launch.end();
    return undefined;
  }
}

/** Returns the words of a login shell that prints its variables between two separators. */
export function loginShellArgv(shell: string, separator: string): string[] {
  // Not "exec env": the second separator marks the end, since a process of the profile may hold the output open.
  return [shell, '-lc', `printf '\\0${separator}\\0'; env -0; printf '${separator}\\0'`];
}

function start({ launch, env, mark, ...shell }: LoginShell): MarkedProcess {
  const started = shell.spawn(launch, { env, mark, cwd: '/', stdout: 'pipe', stderr: 'ignore' });
  const exited = exitOf(started.child);
  void exited.then(launch.end);
  shell.onStart?.(exited);
  return started;
}

function readVariables({ child, tree }: MarkedProcess, shell: LoginShell) {
  return new Promise<Record<string, string> | undefined>((resolve) => {
    const finish = (variables: Record<string, string> | undefined) => {
      clearTimeout(timer);
      shell.signal.removeEventListener('abort', giveUp);
      child.stdout?.destroy();
      resolve(variables);
    };
    const giveUp = () => {
      killTreeSync(tree());
      finish(undefined);
    };
    const timer = setTimeout(giveUp, shell.timeoutMs);
    shell.signal.addEventListener('abort', giveUp);
    let printed = Buffer.alloc(0);
    child.stdout?.on('data', (bytes: Buffer) => {
      printed = Buffer.concat([printed, bytes]);
      const variables = parsePrinted(printed.toString('utf8'), shell.separator);
      if (variables !== undefined) finish(variables);
      else if (printed.length > OUTPUT_LIMIT) giveUp();
    });
    child.on('error', () => finish(undefined));
    child.on('close', () => finish(undefined));
  });
}

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
