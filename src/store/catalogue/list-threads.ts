import { statSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { fileFault } from '../../base/file-fault.ts';
import type { ThreadQuery, ThreadSummary } from '../../base/thread-store.ts';
import type { RolloutMeta } from '../../log/rollout-meta.ts';
import { fitsQuery, metaFacts } from '../../log/thread-facts.ts';
import { readHead } from '../lines/read-head.ts';
import { type RolloutFile, rolloutFiles } from '../lines/rollout-files.ts';
import { readMeta } from './read-meta.ts';
import { readNames } from './thread-names.ts';

/** A thread and its file. */
export interface ListedRollout {
  readonly file: RolloutFile;
  readonly thread: ThreadSummary;
}

/**
 * Lists the threads below the home, the newest first. Each file is opened only when its thread is requested. A damaged
 * file is listed with a note.
 */
export async function* listThreads(home: string, query: ThreadQuery = {}): AsyncGenerator<ListedRollout> {
  const names = readNames(home);
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  let searched = 0;
  for await (const file of rolloutFiles(home, query.archived ? 'archived' : 'active')) {
    if (left <= 0) return;
    // Lets other work run while many files are searched.
    if (++searched % FILES_AT_ONCE === 0) await nextRound();
    if (query.changedSince !== undefined && !isChanged(file, query.changedSince)) continue;
    const meta = file.compressed ? undefined : readMeta(file.path);
    if (query.cwd !== undefined && (file.compressed || (meta && meta.cwd !== query.cwd))) continue;
    const thread = summaryOf(file, meta, names.get(file.id) ?? null);
    if (!thread || !fitsQuery(thread, query)) continue;
    left--;
    yield { file, thread };
  }
}

const FILES_AT_ONCE = 50;

function isChanged({ path }: RolloutFile, since: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs >= since;
}

/** Describes one thread. Returns undefined if its file is gone. */
export function describeRollout(home: string, file: RolloutFile): ThreadSummary | undefined {
  const meta = file.compressed ? undefined : readMeta(file.path);
  return summaryOf(file, meta, readNames(home).get(file.id) ?? null);
}

function summaryOf(file: RolloutFile, meta: RolloutMeta | undefined, name: string | null): ThreadSummary | undefined {
  const stat = statSync(file.path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const facts = meta
    ? { ...metaFacts(meta), ...headOf(file.path) }
    : { ...UNKNOWN, startedAt: file.day, note: noteOf(file, stat.size) };
  return {
    id: file.id,
    name,
    preview: facts.preview,
    cwd: facts.cwd,
    startedAt: facts.startedAt,
    changedAt: stat.mtime.toISOString(),
    bytes: stat.size,
    source: facts.source,
    provider: facts.provider,
    model: facts.model,
    forkedFrom: facts.forkedFrom,
    metadata: facts.metadata,
    archived: file.archived,
    label: file.path,
    path: file.path,
    note: facts.note,
  };
}

const UNKNOWN = { preview: null, cwd: null, source: null, provider: null, model: null, forkedFrom: null, metadata: {} };

function headOf(path: string): { model: string | null; preview: string | null; note: string | null } {
  try {
    return { ...readHead(path), note: null };
  } catch (error) {
    return { model: null, preview: null, note: `The file cannot be read: ${fileFault(error)}.` };
  }
}

function noteOf({ compressed }: RolloutFile, bytes: number): string {
  if (compressed) return 'The file is compressed.';
  if (bytes === 0) return 'The file is empty.';
  return 'The file is damaged: its first line does not say what thread it is.';
}
