import { spawn } from 'node:child_process';

export interface DetachedProgram {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when the program cannot be started. */
  onFailure(error: unknown): void;
}

/** Starts a program outside the sandbox, without input and output, that may outlive this process. */
export function startDetached({ argv: [program = '', ...args], env, onFailure }: DetachedProgram): void {
  try {
    const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
    child.once('error', onFailure);
    child.unref();
  } catch (error) {
    // Arguments that are too long are reported in this way.
    onFailure(error);
  }
}
