import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The rollout file of a thread; undefined when there is none. Newer days are looked at first. */
export async function findRollout(home: string, threadId: string): Promise<string | undefined> {
  return find(join(home, 'sessions'), `-${threadId}.jsonl`, 3);
}

async function find(folder: string, ending: string, depth: number): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort().reverse()) {
    const path = join(folder, name);
    const found = depth === 0 ? (name.endsWith(ending) ? path : undefined) : await find(path, ending, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
