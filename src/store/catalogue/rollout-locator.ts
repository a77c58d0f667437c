import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatDay, formatTimeOfDay, localTime } from '../../base/local-time.ts';
import { noThread } from '../../base/no-thread.ts';
import { activeFolder, type RolloutFile, rolloutFiles } from '../lines/rollout-files.ts';
import { readMeta } from './read-meta.ts';

/** Where the rollout files of a home are. */
export interface RolloutLocator {
  readonly home: string;
  now(): number;
  /** Finds the file of a thread that is not archived; undefined when there is none. */
  findActive(id: string): Promise<RolloutFile | undefined>;
  /** Finds the file of a thread, archived or not. Throws `UserError` when there is none. */
  locate(id: string): Promise<RolloutFile>;
  /** Finds the newest thread of a folder, or of any for null. */
  last(cwd: string | null): Promise<string | null>;
  /** Names the file of a thread that begins now: by local date and time, then the thread's id. */
  newFile(id: string): RolloutFile;
  /** Notes a file that was found another way. Returns the file. */
  remember(file: RolloutFile): RolloutFile;
}

export interface LocatorOptions {
  readonly home: string;
  /** The zone of the clock that files are named after. */
  readonly timezone: string;
  now(): number;
}

/** Finds files. The last one that was found is remembered: it is most often the next that is asked for. */
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
