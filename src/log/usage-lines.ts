import { eachLine } from '../base/each-line.ts';
import { isRecord } from '../base/json-schema.ts';
import type { LineBlock } from '../base/thread-store.ts';
import { HEAD_BYTES, type LineHead, lineHead } from './line-head.ts';

/** Time of a line as ISO text. Only lines that begin a turn need it. Valid while the line is applied. */
export type LineTime = () => string | null;

/** A line about the usage of a thread. */
export type UsageLine =
  /** Duration of a call, from its output. */
  | { readonly type: 'output'; readonly ms: number }
  /** Tokens of a response as Codex counts them. */
  | {
      readonly type: 'count';
      readonly time: LineTime;
      /** Tokens of the thread so far, as JSON text. */
      readonly total: string;
      /** Returns the tokens of the response. Most turns do not need them: their requests have records. */
      readonly last: () => unknown;
    }
  | {
      readonly type: 'line';
      readonly of: string;
      readonly time: LineTime;
      readonly payload: Readonly<Record<string, unknown>>;
    };

export interface UsageReader {
  apply(line: UsageLine): void;
  /** Called for a line that cannot be read, with its number. */
  onDamaged(number: number, label: string): void;
}

/**
 * Reads the lines about usage and the first line of a thread. Lines of other threads that a fork refers to are left
 * out. All other lines are skipped without parsing, so that a long thread takes only as long as reading it.
 */
export async function readUsageLines(blocks: AsyncIterable<LineBlock>, reader: UsageReader): Promise<void> {
  let own: string | undefined;
  for await (const block of blocks) {
    const { bytes, label } = block;
    own ??= label;
    if (label !== own) continue;
    eachLine(block, (start, end, index) => {
      const head = lineHead(bytes, start, end);
      if (head && isOutput(head)) {
        const ms = durationAtEnd(bytes, start, end);
        if (ms !== undefined) reader.apply({ type: 'output', ms });
      } else if (!head || isAboutUsage(head, bytes, start, end)) {
        const line = (head && usualLine(head, bytes, start, end)) ?? parse(bytes, start, end);
        if (line) reader.apply(line);
        else reader.onDamaged(block.number + index, label);
      }
    });
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

function isAboutUsage({ type, kind }: LineHead, bytes: Buffer, start: number, end: number): boolean {
  if (type === 'event_msg') return EVENTS.has(kind);
  if (type === 'oxbow') return OWN.has(kind);
  if (type === 'session_meta' || type === 'turn_context' || type === 'token_usage_record') return true;
  return (
    type === 'response_item' && kind === 'message' && end - start < LONGEST_MESSAGE_BYTES && isOfUser(bytes, start, end)
  );
}

function isOfUser(bytes: Buffer, start: number, end: number): boolean {
  return bytes.toString('latin1', start, Math.min(end, start + 2 * HEAD_BYTES)).includes('"role":"user"');
}

function isOutput({ type, kind }: LineHead): boolean {
  return type === 'response_item' && kind?.endsWith('_output') === true;
}

const BEGINNING = String.raw`^\{"timestamp":"([\w:.+-]*)",(?:"ordinal":\d+,)?"type":`;
const COUNTS = String.raw`(\{(?:"\w+":(?:0|[1-9]\d*)(?:,(?=")|(?=\})))*\})`;
const NUMBER = String.raw`(0|[1-9]\d{0,14})`;

/** Forms of the most frequent lines, by their kinds, as this program writes them. They are not parsed. */
const USUAL: Readonly<Record<string, UsualForm>> = {
  token_count: [
    new RegExp(
      String.raw`${BEGINNING}"event_msg","payload":\{"type":"token_count","info":\{"total_token_usage":${COUNTS},"last_token_usage":${COUNTS}\}\}\}$`,
    ),
    (time, total, last) => ({ type: 'count', time: () => time, total, last: () => JSON.parse(last) }),
  ],
  'request.started': [
    new RegExp(
      String.raw`${BEGINNING}"oxbow","payload":\{"kind":"request\.started","request":${NUMBER},"attempt":${NUMBER},"digest":"\w*"\}\}$`,
    ),
    (time, request, attempt) => {
      const payload = { kind: 'request.started', request: Number(request), attempt: Number(attempt) };
      return { type: 'line', of: 'oxbow', time: () => time, payload };
    },
  ],
};

type UsualForm = readonly [form: RegExp, read: (time: string, a: string, b: string) => UsageLine];

/** Reads a line of a usual form; undefined for another form. */
function usualLine({ kind = '' }: LineHead, bytes: Buffer, start: number, end: number): UsageLine | undefined {
  const usual = USUAL[kind];
  if (usual === undefined) return undefined;
  const [form, read] = usual;
  const [, time, a, b] = form.exec(bytes.toString('latin1', start, end)) ?? [];
  return time === undefined || a === undefined || b === undefined ? undefined : read(time, a, b);
}

const TAIL_BYTES = 256;
/** Quotes inside a text are escaped, so a match is a field of the line itself. */
const DURATION = /,"metadata":\{[^{}]*"duration_ms":(\d+(?:\.\d+)?)[^{}]*\}(?:,"\w+":\d+)?\}\s*$/;

function durationAtEnd(bytes: Buffer, start: number, end: number): number | undefined {
  const [, ms] = DURATION.exec(bytes.toString('latin1', Math.max(start, end - TAIL_BYTES), end)) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Parses a line; undefined if it is damaged. */
function parse(bytes: Buffer, start: number, end: number): UsageLine | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    if (!isRecord(value) || typeof value.type !== 'string' || !isRecord(value.payload)) return undefined;
    const time = typeof value.timestamp === 'string' ? value.timestamp : null;
    return { type: 'line', of: value.type, time: () => time, payload: value.payload };
  } catch {
    return undefined;
  }
}
