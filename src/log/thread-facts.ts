import type { StoredLine, ThreadQuery, ThreadSummary } from '../base/thread-store.ts';
import { parseMeta, type RolloutMeta } from './rollout-meta.ts';
import { createThreadHead } from './thread-head.ts';

/** The part of a summary that the first lines of a thread tell. */
export type ThreadFacts = Pick<
  ThreadSummary,
  'cwd' | 'startedAt' | 'source' | 'provider' | 'forkedFrom' | 'model' | 'preview'
>;

const MOST_BYTES = 1024 * 1024;

/**
 * Reads as much of the beginning of a thread as it takes to describe it. Null when the first line does not say what thread
 * it is.
 */
export async function threadFacts(lines: AsyncIterable<StoredLine>): Promise<ThreadFacts | null> {
  const fold = createThreadHead();
  let meta: RolloutMeta | undefined;
  let bytes = 0;
  for await (const line of lines) {
    meta ??= parseMeta(line.bytes);
    bytes += line.bytes.length;
    if (!meta || fold.see(line.bytes.toString('utf8')) || bytes > MOST_BYTES) break;
  }
  return meta ? { ...metaFacts(meta), ...fold.head } : null;
}

/** Returns the facts that stand in the first line. */
export function metaFacts(meta: RolloutMeta): Omit<ThreadFacts, 'model' | 'preview'> {
  return {
    cwd: meta.cwd,
    startedAt: meta.timestamp,
    source: sourceText(meta.source),
    provider: textOf(meta.model_provider),
    forkedFrom: textOf(meta.forked_from_id),
  };
}

/** Returns whether a thread is one that a list is asked for. The limit is left to the list. */
export function fitsQuery(thread: ThreadSummary, query: ThreadQuery): boolean {
  const { archived = false, cwd, search, changedSince } = query;
  if (thread.archived !== archived) return false;
  if (cwd !== undefined && thread.cwd !== null && thread.cwd !== cwd) return false;
  if (changedSince !== undefined && Date.parse(thread.changedAt) < changedSince) return false;
  return search === undefined || hasText(thread, search.toLowerCase());
}

function hasText({ id, name, preview, cwd }: ThreadSummary, wanted: string): boolean {
  return [id, name, preview, cwd].some((text) => text?.toLowerCase().includes(wanted));
}

/** Codex has a table there for agents that an agent started. */
function sourceText(source: unknown): string | null {
  if (typeof source !== 'object' || source === null) return textOf(source);
  return Object.keys(source)[0] ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
