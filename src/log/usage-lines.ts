import { isRecord } from '../base/json-schema.ts';
import type { StoredLine } from '../base/thread-store.ts';
import { HEAD_BYTES, type LineHead, lineHead } from './line-head.ts';

/** A line about the usage of a thread. */
export type UsageLine =
  /** Duration of a call, from its output. */
  | { readonly type: 'output'; readonly ms: number }
  | {
      readonly type: 'line';
      readonly of: string;
      /** ISO text. */
      readonly time: string | null;
      readonly payload: Readonly<Record<string, unknown>>;
    };

/**
 * Returns the lines about usage and the first line of a thread. Lines of other threads that a fork refers to are left
 * out. All other lines are skipped without parsing, so that a long thread takes only as long as reading it. `onDamaged`
 * gets the lines that cannot be read.
 */
export async function* usageLines(
  lines: AsyncIterable<StoredLine>,
  onDamaged: (stored: StoredLine) => void,
): AsyncGenerator<UsageLine, void, undefined> {
  let own: string | undefined;
  for await (const stored of lines) {
    const { bytes, label } = stored;
    own ??= label;
    if (label !== own) continue;
    const head = lineHead(bytes, 0, bytes.length);
    if (head && isOutput(head)) {
      const ms = durationAtEnd(bytes);
      if (ms !== undefined) yield { type: 'output', ms };
    } else if (!head || isAboutUsage(head, bytes)) {
      const line = parse(bytes);
      if (line) yield line;
      else onDamaged(stored);
    }
  }
}

const EVENTS: ReadonlySet<string | undefined> = new Set([
  'task_started',
  'task_complete',
  'turn_aborted',
  'thread_rolled_back',
  'user_message',
  'token_count',
]);
const OWN: ReadonlySet<string | undefined> = new Set([
  'request.started',
  'request.ended',
  'repair',
  'turn.failed',
  'checkpoint',
]);

/** Longer messages hold large images and are not parsed: only the beginning of their text would be used. */
const LONGEST_MESSAGE_BYTES = 1024 * 1024;

function isAboutUsage({ type, kind }: LineHead, bytes: Buffer): boolean {
  if (type === 'event_msg') return EVENTS.has(kind);
  if (type === 'oxbow') return OWN.has(kind);
  if (type === 'session_meta' || type === 'turn_context' || type === 'token_usage_record') return true;
  return type === 'response_item' && kind === 'message' && bytes.length < LONGEST_MESSAGE_BYTES && isOfUser(bytes);
}

function isOfUser(bytes: Buffer): boolean {
  return bytes.subarray(0, 2 * HEAD_BYTES).includes('"role":"user"');
}

function isOutput({ type, kind }: LineHead): boolean {
  return type === 'response_item' && kind?.endsWith('_output') === true;
}

const TAIL_BYTES = 256;
/** Quotes inside a text are escaped, so a match is a field of the line itself. */
const DURATION = /,"metadata":\{[^{}]*"duration_ms":(\d+(?:\.\d+)?)[^{}]*\}(?:,"\w+":\d+)?\}\s*$/;

function durationAtEnd(bytes: Buffer): number | undefined {
  const [, ms] = DURATION.exec(bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Parses a line; undefined if it is damaged. */
function parse(bytes: Buffer): UsageLine | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isRecord(value) || typeof value.type !== 'string' || !isRecord(value.payload)) return undefined;
    const time = typeof value.timestamp === 'string' ? value.timestamp : null;
    return { type: 'line', of: value.type, time, payload: value.payload };
  } catch {
    return undefined;
  }
}
