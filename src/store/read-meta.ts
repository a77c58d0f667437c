import { closeSync, openSync, readSync } from 'node:fs';
import { isRecord } from '../base/json-schema.ts';

/** What the first line of a rollout says. Beside what is named here it holds whatever its writer put there. */
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

const BLOCK_BYTES = 32 * 1024;
const LONGEST_BYTES = 16 * 1024 * 1024;

/** The first line of a rollout, read alone; undefined where it cannot be read or is none. */
export function readMeta(path: string): RolloutMeta | undefined {
  try {
    return metaOf(JSON.parse(firstLine(path)));
  } catch {
    return undefined;
  }
}

/** The same of a line that was read already. */
export function metaOf(line: unknown): RolloutMeta | undefined {
  if (!isRecord(line) || line.type !== 'session_meta' || !isRecord(line.payload)) return undefined;
  const { id, cwd, timestamp } = line.payload;
  const isMeta = typeof id === 'string' && typeof cwd === 'string' && typeof timestamp === 'string';
  return isMeta ? (line.payload as RolloutMeta) : undefined;
}

/** Where a history begins that a fork only points to: the lines of that thread with smaller ordinals. */
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

/** The text before the first line feed; empty where there is none within reason. */
function firstLine(path: string): string {
  const fd = openSync(path, 'r');
  try {
    for (let bytes = Buffer.allocUnsafe(BLOCK_BYTES), length = 0; ; ) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      const end = bytes.subarray(0, length + read).indexOf(0x0a, length);
      if (end >= 0) return bytes.toString('utf8', 0, end);
      length += read;
      if (read === 0 || length >= LONGEST_BYTES) return '';
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
    }
  } finally {
    closeSync(fd);
  }
}
