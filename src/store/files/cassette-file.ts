import { constants, openSync, readFileSync, writeSync } from 'node:fs';
import { messageOf, UserError } from '../../base/errors.ts';

/**
 * Creates the file of a cassette, readable only by its owner. Throws `UserError` if the file cannot be created, or if a
 * link has its name, since a command of an earlier run may have made the link.
 */
export function createCassetteFile(path: string): { write(line: string): void } {
  try {
    const fd = openSync(path, flagsFor(path), 0o600);
    return { write: (line) => writeSync(fd, line) };
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP';
    const why = isLink ? 'it is a link. Name the file itself, or delete the link.' : messageOf(error);
    throw new UserError('storage', `The exchange cannot be recorded in ${path}: ${why}`);
  }
}

function flagsFor(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  // The links in these folders are those of the system, such as /dev/fd/3.
  return /^\/(?:dev|proc)\//.test(path) ? flags : flags | constants.O_NOFOLLOW;
}

/** Returns the text of a cassette. Throws `UserError`. */
export function readCassetteFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `The cassette ${path} cannot be read: ${messageOf(error)}`);
  }
}
