import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, UserError } from '../../base/errors.ts';
import { activeFolder, archiveFolder, type RolloutFile } from '../lines/rollout-files.ts';
import { refuseWhileOpen } from '../lock/thread-holder.ts';

/** Moves the file of a thread into the archive, as Codex does. Returns its new path. Throws `UserError`. */
export function archiveThread(home: string, { id, path, archived }: RolloutFile): string {
  if (archived) throw new UserError('nothing_to_do', `The thread ${id} is archived already.`);
  refuseWhileOpen(home, id);
  return move(path, archiveFolder(home));
}

/**
 * Moves the file of a thread back to the folder of the day on which the thread began. Returns its new path. Throws
 * `UserError`.
 */
export function unarchiveThread(home: string, { id, path, day, archived }: RolloutFile): string {
  if (!archived) throw new UserError('nothing_to_do', `The thread ${id} is not archived.`);
  return move(path, join(activeFolder(home), ...day.split('-')));
}

function move(path: string, folder: string): string {
  const target = join(folder, basename(path));
  if (existsSync(target)) throw new UserError('storage', `${path} cannot be moved: there is a ${target} already.`);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    renameSync(path, target);
  } catch (error) {
    throw new UserError('storage', `${path} cannot be moved to ${folder}: ${messageOf(error)}`);
  }
  return target;
}
