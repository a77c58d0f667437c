import { constants, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';

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
    const why = isLink ? 'it is a link. Name the file itself, or delete the link.' : `${fileFault(error)}.`;
    throw new UserError('storage', `The exchange cannot be recorded in ${path}: ${why}`);
  }
}

function flagsFor(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  // The links in these folders are those of the system, such as /dev/fd/3.
  return /^\/(?:dev|proc)\//.test(path) ? flags : flags | constants.O_NOFOLLOW;
}

/**
 * Replaces the file of a cassette at once: a reader sees the old text or the new one, also when this process dies. Throws
 * `UserError`.
 */
export function replaceCassetteFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new UserError('storage', `The cassette ${path} cannot be written: ${fileFault(error)}.`);
  }
}

/** Returns the text of a cassette; undefined for a missing file that may be missing. Throws `UserError`. */
export function readCassetteFile(path: string): string;
export function readCassetteFile(path: string, options: { mayBeMissing: true }): string | undefined;
export function readCassetteFile(path: string, options?: { mayBeMissing: true }): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (options?.mayBeMissing && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UserError('storage', `The cassette ${path} cannot be read: ${fileFault(error)}.`);
  }
}
