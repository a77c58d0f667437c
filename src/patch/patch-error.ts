/** Why a patch cannot be read or does not fit. The message is for the model. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  /** The line of the patch, counted from 1, where it cannot be read. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Why `parsePatch` threw, as the tool tells the model. */
export function unreadableForModel({ message, line }: PatchError): string {
  return line === undefined ? `invalid patch: ${message}` : `invalid hunk at line ${line}, ${message}`;
}

/** Why `parsePatch` threw, as the command prints it. */
export function unreadableForTerminal({ message, line }: PatchError): string {
  return line === undefined ? `Invalid patch: ${message}` : `Invalid patch hunk on line ${line}: ${message}`;
}

/** A line where only lines of a chunk may stand. */
export function unexpectedLine(line: string, at: number): PatchError {
  const rule = `Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)`;
  return new PatchError(`Unexpected line found in update hunk: '${line}'. ${rule}`, at);
}
