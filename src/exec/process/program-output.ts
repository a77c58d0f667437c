import { type ChildProcess, spawn } from 'node:child_process';

export interface OutputCall {
  readonly argv: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** The end of a program. Its texts are bounded. */
export type OutputEnd =
  | { readonly type: 'exited'; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly type: 'timed out' }
  | { readonly type: 'not started'; readonly error: Error };

const MAX_CHARS = 64 * 1024;

/**
 * Runs a program of the user's outside the sandbox, without input, and returns its output. The program and everything
 * that it started are killed when its time is up.
 */
export function programOutput({ argv: [program = '', ...args], cwd, env, timeoutMs }: OutputCall): Promise<OutputEnd> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    } catch (error) {
      // Arguments that are too long are reported in this way.
      resolve({ type: 'not started', error: error as Error });
      return;
    }
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    const timer = setTimeout(() => {
      killGroup(child);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ type: 'timed out' });
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve({ type: 'not started', error });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ type: 'exited', code, stdout: stdout(), stderr: stderr() });
    });
  });
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < MAX_CHARS) text += part;
  });
  return () => text.slice(0, MAX_CHARS);
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The program has ended meanwhile.
  }
}
