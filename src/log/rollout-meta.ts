import { isRecord } from '../base/json-schema.ts';

/** The first line of a thread. It also holds any other fields of its writer. */
export interface RolloutMeta {
  readonly id: string;
  readonly cwd: string;
  /** Start of the thread, as ISO text. */
  readonly timestamp: string;
  /** Parent thread. The history begins with the parent's lines whose ordinals are smaller than the limit below. */
  readonly forked_from_id?: string;
  readonly forked_from_ordinal_exclusive?: number;
  readonly [field: string]: unknown;
}

/** Returns the first line of a thread from a parsed line; undefined if the line is not one. */
export function metaOf(line: unknown): RolloutMeta | undefined {
  if (!isRecord(line) || line.type !== 'session_meta' || !isRecord(line.payload)) return undefined;
  const { id, cwd, timestamp } = line.payload;
  const isMeta = typeof id === 'string' && typeof cwd === 'string' && typeof timestamp === 'string';
  return isMeta ? (line.payload as RolloutMeta) : undefined;
}

/** Returns the first line of a thread from the bytes of a line. */
export function parseMeta(bytes: Buffer): RolloutMeta | undefined {
  try {
    return metaOf(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** The beginning of a history that a fork refers to: the lines of another thread with ordinals below the limit. */
export interface HistoryBase {
  readonly id: string;
  readonly limit: number;
  /** Byte offset of the end of these lines, according to the writer. */
  readonly offset: number | undefined;
}

/** Returns the base of a thread; undefined if the thread holds all of its lines. */
export function historyBase({
  forked_from_id: id,
  forked_from_ordinal_exclusive: limit,
  history_base: base,
}: RolloutMeta): HistoryBase | undefined {
  // Without an ordinal, the lines were copied.
  if (typeof id !== 'string' || typeof limit !== 'number') return undefined;
  const { thread_id: from, end_byte_offset: offset } = isRecord(base) ? base : {};
  // The parent may itself refer to another thread. A fork at one of those turns refers to that thread directly.
  return { id: typeof from === 'string' ? from : id, limit, offset: typeof offset === 'number' ? offset : undefined };
}
