import { openSync, readFileSync, writeSync } from 'node:fs';
import { messageOf, UserError } from '../../base/errors.ts';

/** A file that a cassette is written to, for its owner only. Throws `UserError` when it cannot be made. */
export function createCassetteFile(path: string): { write(line: string): void } {
  try {
    const fd = openSync(path, 'w', 0o600);
    return { write: (line) => writeSync(fd, line) };
  } catch (error) {
    throw new UserError('storage', `The exchange cannot be recorded in ${path}: ${messageOf(error)}`);
  }
}

/** The text of a cassette. Throws `UserError`. */
export function readCassetteFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `The cassette ${path} cannot be read: ${messageOf(error)}`);
  }
}
