import { closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';

/** Returns the path of a new file for this run. Makes the folder when it is missing. Throws `UserError`. */
export function recordingFile(folder: string, now: number): string {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UserError('storage', `The exchanges cannot be recorded in ${path}: ${fileFault(error)}.`);
  }
  const time = new Date(now).toISOString().replaceAll(':', '-').replace(/\..*/, '');
  return join(path, `gateway-${time}-${process.pid}.jsonl`);
}

/** Writes a response that was repaired next to the recording, as a case of the corpus of quirks. */
export function writeQuirk(recording: string, quirk: { readonly name: string }): void {
  const folder = join(dirname(recording), 'quirks');
  mkdirSync(folder, { recursive: true });
  // Not through a link: the folder may be one that agents can write to.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = openSync(join(folder, `${quirk.name}.json`), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(quirk, null, 2)}\n`);
  } finally {
    closeSync(file);
  }
}
