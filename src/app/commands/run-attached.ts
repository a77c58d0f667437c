import { type AttachedProgram, runAttached } from '../../exec/process/run-attached.ts';

/** The end of a program that was run for the user: its exit code as a shell reports it. */
export interface RunEnd {
  readonly code: number;
  /** Why the program did not start, in a sentence. */
  readonly problem?: string;
}

/** Exit codes of a shell for programs that it cannot start. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;

/** Runs a program to its end with the terminal, the files and the signals of this process. */
export async function runForUser(program: AttachedProgram): Promise<RunEnd> {
  const end = await runAttached(program);
  switch (end.type) {
    case 'ended':
      return { code: end.code };
    case 'missing':
      return { code: NOT_FOUND, problem: `There is no program "${program.command}". Install it, or name its path.` };
    case 'refused':
      return { code: NOT_STARTED, problem: `The program "${program.command}" cannot be started: ${end.why}.` };
  }
}
