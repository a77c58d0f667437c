/** Error for a patch that cannot be read or does not fit. The message is for the model. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  /** Line of the patch, counted from 1, that cannot be read. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Returns the error of `parsePatch` in the words of the tool, for the model. */
export function unreadableForModel({ message, line }: PatchError): string {
  return line === undefined ? `invalid patch: ${message}` : `invalid hunk at line ${line}, ${message}`;
}

/** Returns the error of `parsePatch` in the words of the command, for the terminal. */
export function unreadableForTerminal({ message, line }: PatchError): string {
  return line === undefined ? `Invalid patch: ${message}` : `Invalid patch hunk on line ${line}: ${message}`;
}

/** Returns the error for a line that is not a line of a chunk. */
export function unexpectedLine(line: string, at: number): PatchError {
  const rule = `Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)`;
  return new PatchError(`Unexpected line found in update hunk: '${line}'. ${rule}`, at);
}
