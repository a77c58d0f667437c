import { isRecord } from '../base/json-schema.ts';
import type { StoredLine, ThreadQuery, ThreadSummary } from '../base/thread-store.ts';
import { parseMeta, type RolloutMeta } from './rollout-meta.ts';
import { createThreadHead } from './thread-head.ts';

/** The part of a summary that the first lines of a thread hold. */
export type ThreadFacts = Pick<
  ThreadSummary,
  'cwd' | 'startedAt' | 'source' | 'provider' | 'forkedFrom' | 'metadata' | 'model' | 'preview'
>;

const MOST_BYTES = 1024 * 1024;

/**
 * Describes a thread by its first lines, reading only as many as necessary. Returns null if the first line is not that
 * of a thread.
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

/** Returns the facts in the first line. */
export function metaFacts(meta: RolloutMeta): Omit<ThreadFacts, 'model' | 'preview'> {
  return {
    cwd: meta.cwd,
    startedAt: meta.timestamp,
    source: sourceText(meta.source),
    provider: textOf(meta.model_provider),
    forkedFrom: textOf(meta.forked_from_id),
    metadata: metadataOf(meta),
  };
}

/** Reports whether a thread matches a query. The limit is left to the caller. */
export function fitsQuery(thread: ThreadSummary, query: ThreadQuery): boolean {
  const { archived = false, cwd, search, metadata = {}, changedSince } = query;
  if (thread.archived !== archived) return false;
  if (cwd !== undefined && thread.cwd !== null && thread.cwd !== cwd) return false;
  if (changedSince !== undefined && Date.parse(thread.changedAt) < changedSince) return false;
  if (Object.entries(metadata).some(([name, text]) => thread.metadata[name] !== text)) return false;
  return search === undefined || hasText(thread, search.toLowerCase());
}

function hasText({ id, name, preview, cwd }: ThreadSummary, wanted: string): boolean {
  return [id, name, preview, cwd].some((text) => text?.toLowerCase().includes(wanted));
}

/** Returns the source as text. Codex writes an object there for agents that an agent started. */
function sourceText(source: unknown): string | null {
  if (typeof source !== 'object' || source === null) return textOf(source);
  return Object.keys(source)[0] ?? null;
}

/** Returns the metadata of a thread. Any program may have written the line. */
export function metadataOf({ oxbow_metadata: metadata }: RolloutMeta): Readonly<Record<string, string>> {
  if (!isRecord(metadata)) return {};
  const texts = Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
