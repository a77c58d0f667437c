import { closeSync, openSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeLine } from './rollout-line.ts';

/** The rollout file of a thread; undefined when there is none. */
export async function findRollout(home: string, threadId: string): Promise<string | undefined> {
  for await (const path of rollouts(home)) if (path.endsWith(`-${threadId}.jsonl`)) return path;
  return undefined;
}

/** The id of the newest thread, of one folder if that is given; undefined when there is none. */
export async function findLastThread(home: string, cwd: string | null): Promise<string | undefined> {
  for await (const path of rollouts(home)) {
    const meta = readMeta(path);
    if (meta && (cwd === null || meta.cwd === cwd)) return meta.id;
  }
  return undefined;
}

/** The rollout files below the home, newest first: their names begin with the time. */
async function* rollouts(home: string): AsyncGenerator<string> {
  yield* newestFirst(join(home, 'sessions'), 3);
}

async function* newestFirst(folder: string, depth: number): AsyncGenerator<string> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort().reverse()) {
    if (depth > 0) yield* newestFirst(join(folder, name), depth - 1);
    else if (name.startsWith('rollout-') && name.endsWith('.jsonl')) yield join(folder, name);
  }
}

const FIRST_LINE_BYTES = 256 * 1024;

/** What the first line says; undefined where it is none of ours, or longer than any of ours. */
function readMeta(path: string): { id: string; cwd: string } | undefined {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    const start = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
    const line = decodeLine(start.slice(0, start.indexOf('\n')));
    return line?.type === 'session_meta' ? line.payload : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
