import { emptyFinish, readFinish } from '../chat/read-finish.ts';
import type { RepairReporter } from '../report.ts';

/** Stop reason of a message. */
export interface ReadStop {
  /** Word of this wire. */
  readonly reason: string;
  /** Word of the chat wire, whose repair decides. */
  readonly finish: string;
}

/** Reads a `stop_reason` (A7). Null if it is empty and the message goes on (A2, A4). */
export function readStop(reason: unknown, reporter: RepairReporter): ReadStop | null {
  const own = typeof reason === 'string' ? OWN.get(reason) : undefined;
  if (own !== undefined) return { reason: String(reason), finish: own };
  const read = readFinish(reason);
  const empty = emptyFinish(reason);
  if (empty !== undefined) reporter.report(empty, { before: reason, after: null });
  if (read === undefined) return null;
  // The repair makes an error of these, unless it takes them for its own word.
  if (read.signal === 'error') return { reason: read.said, finish: `stop_reason:${read.said}` };
  if (read.signal === 'refused') return { reason: read.said, finish: read.said };
  const known = STOP_REASONS.get(read.word) ?? read.word;
  reporter.report('A7', { before: reason, after: known });
  return { reason: known, finish: read.word };
}

/** Stop reasons for the finish signals of the chat wire. */
export const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['tool_calls', 'tool_use'],
  ['length', 'max_tokens'],
  ['content_filter', 'refusal'],
]);

const OWN: ReadonlyMap<string, string> = new Map([
  ...Array.from(STOP_REASONS, ([finish, reason]): [string, string] => [reason, finish]),
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['compaction', 'stop'],
  ['model_context_window_exceeded', 'length'],
]);
