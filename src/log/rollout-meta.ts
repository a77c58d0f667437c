import { isRecord } from '../base/json-schema.ts';

/** The first line of a thread. It also holds whatever else its writer put there. */
export interface RolloutMeta {
  readonly id: string;
  readonly cwd: string;
  /** When the thread began, as ISO text. */
  readonly timestamp: string;
  /** The history begins with the lines of this thread whose ordinals are smaller than the one below. */
  readonly forked_from_id?: string;
  readonly forked_from_ordinal_exclusive?: number;
  readonly [field: string]: unknown;
}

/** Returns what a parsed line says of its thread; undefined when it is not a usable first line. */
export function metaOf(line: unknown): RolloutMeta | undefined {
  if (!isRecord(line) || line.type !== 'session_meta' || !isRecord(line.payload)) return undefined;
  const { id, cwd, timestamp } = line.payload;
  const isMeta = typeof id === 'string' && typeof cwd === 'string' && typeof timestamp === 'string';
  return isMeta ? (line.payload as RolloutMeta) : undefined;
}

/** Does the same with the bytes of a line. */
export function parseMeta(bytes: Buffer): RolloutMeta | undefined {
  try {
    return metaOf(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** The beginning of a history that a fork only points to: the lines of that thread with smaller ordinals. */
export interface HistoryBase {
  readonly id: string;
  readonly limit: number;
  /** Where those lines end, as the writer believes. */
  readonly offset: number | undefined;
}

/** Undefined for a thread that has all of its lines itself. */
export function historyBase({
  forked_from_id: id,
  forked_from_ordinal_exclusive: limit,
  history_base: base,
}: RolloutMeta): HistoryBase | undefined {
  // Without an ordinal the lines were copied.
  if (typeof id !== 'string' || typeof limit !== 'number') return undefined;
  const { thread_id: from, end_byte_offset: offset } = isRecord(base) ? base : {};
  // A fork at a turn that its parent points to itself points there too, not to its parent.
  return { id: typeof from === 'string' ? from : id, limit, offset: typeof offset === 'number' ? offset : undefined };
}
