import { ToolFailure } from '../../base/errors.ts';

/**
 * Strings for a program that reads them with a zero byte behind each. Throws `ToolFailure` where one has such a byte in it: what
 * follows would be read as another string, and perhaps be obeyed.
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
