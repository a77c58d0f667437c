import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatDay, formatTimeOfDay, localTime } from '../../base/local-time.ts';
import { noThread } from '../../base/no-thread.ts';
import { activeFolder, type RolloutFile, rolloutFiles } from '../lines/rollout-files.ts';
import { readMeta } from './read-meta.ts';

/** A locator finds the rollout files of a home. */
export interface RolloutLocator {
  readonly home: string;
  now(): number;
  /** Returns the file of a thread that is not archived, or undefined if there is none. */
  findActive(id: string): Promise<RolloutFile | undefined>;
  /** Returns the file of a thread, archived or not. Throws `UserError` if there is none. */
  locate(id: string): Promise<RolloutFile>;
  /** Returns the id of the newest thread of a folder. A null folder means any. */
  last(cwd: string | null): Promise<string | null>;
  /** Returns the file for a thread that begins now. Its name contains the local date and time, then the thread's id. */
  newFile(id: string): RolloutFile;
  /** Remembers a file that was found in another way. Returns the file. */
  remember(file: RolloutFile): RolloutFile;
}

export interface LocatorOptions {
  readonly home: string;
  /** Time zone of the dates in file names. */
  readonly timezone: string;
  now(): number;
}

/**
 * Returns a locator that remembers the file it found last, because the next request is most often for the same file.
 */
export function createRolloutLocator({ home, timezone, now }: LocatorOptions): RolloutLocator {
  let found: RolloutFile | undefined;

  async function findIn(where: 'active' | 'archived', id: string): Promise<RolloutFile | undefined> {
    for await (const file of rolloutFiles(home, where)) if (file.id === id) return remember(file);
    return undefined;
  }

  function remember(file: RolloutFile): RolloutFile {
    found = file;
    return file;
  }

  return {
    home,
    now,
    remember,
    findActive: (id) => findIn('active', id),
    async locate(id) {
      if (found?.id === id && existsSync(found.path)) return found;
      const file = (await findIn('active', id)) ?? (await findIn('archived', id));
      if (!file) throw noThread(id, home);
      return file;
    },
    async last(cwd) {
      for await (const { path } of rolloutFiles(home, 'active')) {
        const meta = readMeta(path);
        if (meta && (cwd === null || meta.cwd === cwd)) return meta.id;
      }
      return null;
    },
    newFile(id) {
      const time = localTime(now(), timezone);
      const day = formatDay(time);
      const name = `rollout-${day}T${formatTimeOfDay(time)}-${id}.jsonl`;
      const path = join(activeFolder(home), ...day.split('-'), name);
      return { path, id, day, archived: false, compressed: false };
    },
  };
}
