import { rmSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { historyBase } from '../../log/rollout-meta.ts';
import { type RolloutFile, rolloutFiles } from '../lines/rollout-files.ts';
import { refuseWhileOpen } from '../lock/thread-holder.ts';
import { readMeta } from './read-meta.ts';
import { removeNames } from './thread-names.ts';

/**
 * Deletes the file of a thread and its names. Throws `UserError`, also while a fork made by Codex still reads that
 * file.
 */
export async function deleteThread(home: string, file: RolloutFile): Promise<void> {
  refuseWhileOpen(home, file.id);
  const forks = await pointingForks(home, file);
  if (forks.length > 0)
    throw new UserError(
      'in_use',
      `The thread ${file.id} cannot be deleted: its forks still read it (${forks.join(', ')}).`,
    );
  try {
    rmSync(file.path);
    removeNames(home, file.id);
  } catch (error) {
    throw new UserError('storage', `The thread ${file.id} cannot be deleted: ${fileFault(error)}.`);
  }
}

/** Returns the ids of forks that only point into the file. No fork is older than the file. */
async function pointingForks(home: string, { id, day }: RolloutFile): Promise<readonly string[]> {
  const forks: string[] = [];
  for (const where of ['active', 'archived'] as const) {
    for await (const file of rolloutFiles(home, where)) {
      if (file.day < day) break;
      const meta = file.compressed ? undefined : readMeta(file.path);
      if (meta && historyBase(meta)?.id === id) forks.push(file.id);
    }
  }
  return forks;
}
