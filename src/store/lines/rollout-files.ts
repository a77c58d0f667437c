import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A rollout file, with the facts that its name contains. */
export interface RolloutFile {
  readonly path: string;
  /** Id of the thread. */
  readonly id: string;
  /** Local day on which the thread began, such as `2026-11-05`. */
  readonly day: string;
  readonly archived: boolean;
  /** Whether the file is a `.jsonl.zst`. */
  readonly compressed: boolean;
}

/** Yields the rollout files below the home, the newest first by the time in their names. No file is opened. */
export async function* rolloutFiles(home: string, where: 'active' | 'archived'): AsyncGenerator<RolloutFile> {
  if (where === 'archived') yield* inFolder(archiveFolder(home), true);
  else for await (const folder of dayFolders(activeFolder(home), 3)) yield* inFolder(folder, false);
}

/** Returns the folder of threads that are not archived. It has folders for year, month and day. */
export function activeFolder(home: string): string {
  return join(home, 'sessions');
}

/** Returns the folder of archived threads, which has no subfolders. */
export function archiveFolder(home: string): string {
  return join(home, 'archived_sessions');
}

async function* dayFolders(folder: string, depth: number): AsyncGenerator<string> {
  if (depth === 0) yield folder;
  else for (const name of await namesIn(folder)) yield* dayFolders(join(folder, name), depth - 1);
}

async function* inFolder(folder: string, archived: boolean): AsyncGenerator<RolloutFile> {
  const names = await namesIn(folder);
  const all = new Set(names);
  for (const name of names) {
    const [, day, id, ending] = NAME.exec(name) ?? [];
    if (day === undefined || id === undefined) continue;
    const compressed = ending === '.zst';
    // While Codex compresses a file, both files exist.
    if (compressed && all.has(name.slice(0, -'.zst'.length))) continue;
    yield { path: join(folder, name), id, day, archived, compressed };
  }
}

const NAME = /^rollout-(\d{4}-\d\d-\d\d)T\d\d-\d\d-\d\d-(.+)\.jsonl(\.zst)?$/;

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().reverse();
}
