import { readMeta } from './read-meta.ts';
import { rolloutFiles } from './rollout-files.ts';

/** The rollout file of a thread that is not archived; undefined when there is none. */
export async function findRollout(home: string, threadId: string): Promise<string | undefined> {
  for await (const { id, path, compressed } of rolloutFiles(home, 'active')) {
    if (id === threadId && !compressed) return path;
  }
  return undefined;
}

/** The id of the newest thread, of one folder if that is given; undefined when there is none. */
export async function findLastThread(home: string, cwd: string | null): Promise<string | undefined> {
  for await (const { path } of rolloutFiles(home, 'active')) {
    const meta = readMeta(path);
    if (meta && (cwd === null || meta.cwd === cwd)) return meta.id;
  }
  return undefined;
}
