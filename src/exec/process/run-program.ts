import { execFile } from 'node:child_process';

export interface ProgramCall {
  /** Path of the program, and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text for its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

export interface ProgramEnd {
  /** Exit code. Null if the program was killed, as after its time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const MOST_BYTES = 1024 * 1024;

/** Runs a program outside the sandbox to its end. Rejects if it cannot be started. */
export function runProgram({ argv: [program = '', ...args], env, input, timeoutMs }: ProgramCall): Promise<ProgramEnd> {
  const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MOST_BYTES } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === 'string') reject(error);
      else resolve({ code: code ?? null, stdout, stderr });
    });
    // A program that does not read its input closes it early.
    child.stdin?.on('error', () => undefined).end(input);
  });
}
