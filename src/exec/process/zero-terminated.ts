import { ToolFailure } from '../../base/errors.ts';

/**
 * Returns strings with a zero byte after each, for a program that reads them. Throws `ToolFailure` for a string that
 * contains a zero byte: its rest would be read as another string, and perhaps as an instruction.
 */
export function zeroTerminated(strings: readonly string[]): Buffer {
  const zero = strings.find((string) => string.includes('\0'));
  if (zero !== undefined) {
    throw new ToolFailure(
      'execution',
      `Failed to create unified exec process: a word, a variable or the working directory has a zero byte in it: ${JSON.stringify(zero.slice(0, 200))}`,
    );
  }
  return Buffer.from(strings.map((string) => `${string}\0`).join(''));
}
