import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { activeFolder, archiveFolder, type RolloutFile } from '../lines/rollout-files.ts';
import { refuseWhileOpen } from '../lock/thread-holder.ts';
import { markInCodexIndex } from './mark-in-codex-index.ts';

/** Moves the file of a thread into the archive, as Codex does. Throws `UserError`. */
export function archiveThread(home: string, { id, path, archived }: RolloutFile, now: number): void {
  if (archived) throw new UserError('nothing_to_do', `The thread ${id} is archived already.`);
  refuseWhileOpen(home, id);
  const moved = move(path, archiveFolder(home));
  markInCodexIndex(home, { id, path: moved, archived: true }, now);
}

/** Moves the file of a thread back to the folder of the day on which the thread began. Throws `UserError`. */
export function unarchiveThread(home: string, { id, path, day, archived }: RolloutFile, now: number): void {
  if (!archived) throw new UserError('nothing_to_do', `The thread ${id} is not archived.`);
  const moved = move(path, join(activeFolder(home), ...day.split('-')));
  markInCodexIndex(home, { id, path: moved, archived: false }, now);
}

function move(path: string, folder: string): string {
  const target = join(folder, basename(path));
  if (existsSync(target)) throw new UserError('storage', `${path} cannot be moved: there is a ${target} already.`);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    renameSync(path, target);
  } catch (error) {
    throw new UserError('storage', `${path} cannot be moved to ${folder}: ${fileFault(error)}.`);
  }
  return target;
}
