import { statSync } from 'node:fs';
import { messageOf } from '../base/errors.ts';
import { readHead } from './read-head.ts';
import { type RolloutMeta, readMeta } from './read-meta.ts';
import { type RolloutFile, rolloutFiles } from './rollout-files.ts';
import { readNames } from './thread-names.ts';

/** A thread as a list shows it. */
export interface ThreadSummary {
  readonly id: string;
  /** What the user called it. */
  readonly name: string | null;
  /** The beginning of what the user said first, on one line. */
  readonly preview: string | null;
  /** The folder it worked in; null where that cannot be read. */
  readonly cwd: string | null;
  /** When it began, as ISO text; the local day where no more can be read. */
  readonly startedAt: string;
  /** When its file was last written, as ISO text. */
  readonly changedAt: string;
  readonly bytes: number;
  /** What it was started from, such as `exec` or `cli`. */
  readonly source: string | null;
  readonly provider: string | null;
  /** The model of its first turn. */
  readonly model: string | null;
  /** The thread that it was forked from. */
  readonly forkedFrom: string | null;
  readonly archived: boolean;
  readonly path: string;
  /** What is wrong with the file, as a sentence; null when nothing is. */
  readonly note: string | null;
}

export interface ThreadQuery {
  /** Those in the archive instead of those outside. */
  readonly archived?: boolean;
  /** Only those of this folder, and damaged ones, of which nobody knows. */
  readonly cwd?: string;
  /** Only those with this text in name, preview, folder or id, whatever its case. */
  readonly search?: string;
}

/**
 * The threads below the home, the newest first. Files are opened one after the other, as they are asked for; a damaged
 * one is listed with a note.
 */
export async function* listThreads(home: string, query: ThreadQuery = {}): AsyncGenerator<ThreadSummary> {
  const names = readNames(home);
  const wanted = query.search?.toLowerCase();
  for await (const file of rolloutFiles(home, query.archived ? 'archived' : 'active')) {
    const meta = file.compressed ? undefined : readMeta(file.path);
    if (query.cwd !== undefined && (file.compressed || (meta && meta.cwd !== query.cwd))) continue;
    const thread = summaryOf(file, meta, names.get(file.id) ?? null);
    if (thread && (wanted === undefined || hasText(thread, wanted))) yield thread;
  }
}

/** Undefined when the file is gone by now. */
export function summaryOf(
  file: RolloutFile,
  meta: RolloutMeta | undefined,
  name: string | null,
): ThreadSummary | undefined {
  const stat = statSync(file.path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const head = meta ? headOf(file.path) : { model: null, preview: null, note: noteOf(file, stat.size) };
  return {
    id: file.id,
    name,
    preview: head.preview,
    cwd: meta?.cwd ?? null,
    startedAt: meta?.timestamp ?? file.day,
    changedAt: stat.mtime.toISOString(),
    bytes: stat.size,
    source: sourceText(meta?.source),
    provider: textOf(meta?.model_provider),
    model: head.model,
    forkedFrom: textOf(meta?.forked_from_id),
    archived: file.archived,
    path: file.path,
    note: head.note,
  };
}

function headOf(path: string): { model: string | null; preview: string | null; note: string | null } {
  try {
    return { ...readHead(path), note: null };
  } catch (error) {
    return { model: null, preview: null, note: `The file cannot be read: ${messageOf(error)}.` };
  }
}

function noteOf({ compressed }: RolloutFile, bytes: number): string {
  if (compressed) return 'The file is compressed.';
  if (bytes === 0) return 'The file is empty.';
  return 'The file is damaged: its first line does not say what thread it is.';
}

/** Codex has a table there for agents that an agent started. */
function sourceText(source: unknown): string | null {
  if (typeof source !== 'object' || source === null) return textOf(source);
  return Object.keys(source)[0] ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function hasText({ id, name, preview, cwd }: ThreadSummary, wanted: string): boolean {
  return [id, name, preview, cwd].some((text) => text?.toLowerCase().includes(wanted));
}
