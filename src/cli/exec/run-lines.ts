import type { Readable } from 'node:stream';
import type { InputsRun } from './run-inputs.ts';

/**
 * Runs turns on the lines of standard input until it ends. Returns the exit code. The code for lines is loaded by this
 * call.
 */
export async function runLines(run: Omit<InputsRun, 'lines' | 'stopReading'>): Promise<number> {
  const [{ readInputLines }, { runInputs }] = await Promise.all([
    import('./read-input-lines.ts'),
    import('./run-inputs.ts'),
  ]);
  const { stdin } = process;
  const stopReading = () => void stdin.destroy();
  try {
    return await runInputs({ ...run, lines: readInputLines(untilDestroyed(stdin)), stopReading });
  } finally {
    // A pipe that is still open would keep the process alive.
    stopReading();
  }
}

async function* untilDestroyed(stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* stream;
  } catch (error) {
    // A stream that we destroyed has no error of its own.
    if (stream.errored) throw error;
  }
}
