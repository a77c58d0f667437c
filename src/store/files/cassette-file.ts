import { openSync, readFileSync, writeSync } from 'node:fs';
import { messageOf, UserError } from '../../base/errors.ts';

/** Creates the file of a cassette, readable only by its owner. Throws `UserError` if the file cannot be created. */
export function createCassetteFile(path: string): { write(line: string): void } {
  try {
    const fd = openSync(path, 'w', 0o600);
    return { write: (line) => writeSync(fd, line) };
  } catch (error) {
    throw new UserError('storage', `The exchange cannot be recorded in ${path}: ${messageOf(error)}`);
  }
}

/** Returns the text of a cassette. Throws `UserError`. */
export function readCassetteFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `The cassette ${path} cannot be read: ${messageOf(error)}`);
  }
}
