import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, UserError } from '../../base/errors.ts';

/** A file of its own for each run, in a folder that is made if need be. Throws `UserError`. */
export function recordingFile(folder: string, now: number): string {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UserError(`The exchanges cannot be recorded in ${path}: ${messageOf(error)}`);
  }
  const time = new Date(now).toISOString().replaceAll(':', '-').replace(/\..*/, '');
  return join(path, `gateway-${time}-${process.pid}.jsonl`);
}
