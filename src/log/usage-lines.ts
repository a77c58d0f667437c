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
  | PlainLine;

/** A line of another kind, with what its payload says about usage. */
export interface PlainLine {
  readonly type: 'line';
  readonly of: string;
  readonly time: LineTime;
  readonly payload: Readonly<Record<string, unknown>>;
}

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
  'call.sampled',
  'repair',
  'turn.failed',
  'turn.suspended',
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

const NUMBER = String.raw`((?:0|[1-9]\d{0,14})(?:\.\d{1,12})?)`;
const ID = String.raw`"([\w-]*)"`;
/** A text without escapes. Longer texts are rare. */
const TEXT = String.raw`"([ !#-\[\]-~]{0,999})"`;
const COUNTS = String.raw`(\{(?:"\w+":(?:0|[1-9]\d*)(?:,(?=")|(?=\})))*\})`;
const USAGE = String.raw`\{"input_tokens":${NUMBER},"cached_input_tokens":${NUMBER},(?:"cache_write_input_tokens":${NUMBER},)?"output_tokens":${NUMBER},"reasoning_output_tokens":${NUMBER},"total_tokens":${NUMBER}\}`;
const COSTS = `"cost":${NUMBER},"retries":${NUMBER},"repairs":${NUMBER},"sent_bytes":${NUMBER},"received_bytes":${NUMBER}`;

/** Forms of the most frequent lines, by their kinds, as this program writes them. They are not parsed. */
const USUAL: Readonly<Record<string, UsualForm>> = {
  token_count: [
    form(
      'event_msg',
      String.raw`"type":"token_count","info":\{"total_token_usage":${COUNTS},"last_token_usage":${COUNTS}\}`,
    ),
    (time, [, , total = '', last = '']) => ({ type: 'count', time, total, last: () => JSON.parse(last) }),
  ],
  task_started: [
    form('event_msg', `"type":"task_started","turn_id":${ID}`),
    (time, [, , turn_id]) => ({ type: 'line', of: 'event_msg', time, payload: { type: 'task_started', turn_id } }),
  ],
  task_complete: [
    form('event_msg', `"type":"task_complete","turn_id":${ID},"last_agent_message":${TEXT}`),
    (time, [, , turn_id]) => ({ type: 'line', of: 'event_msg', time, payload: { type: 'task_complete', turn_id } }),
  ],
  user_message: [
    form('event_msg', `"type":"user_message","message":${TEXT}`),
    (time, [, , message]) => ({ type: 'line', of: 'event_msg', time, payload: { type: 'user_message', message } }),
  ],
  message: [
    form(
      'response_item',
      String.raw`"type":"message",(?:"id":${ID},)?"role":"user","content":\[\{"type":"input_text","text":${TEXT}\}\]`,
    ),
    (time, [, , , text]) => {
      const payload = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
      return { type: 'line', of: 'response_item', time, payload };
    },
  ],
  'request.started': [
    form('oxbow', String.raw`"kind":"request\.started","request":${NUMBER},"attempt":${NUMBER},"digest":"\w*"`),
    (time, [, , request, attempt]) => {
      const payload = { kind: 'request.started', request: Number(request), attempt: Number(attempt) };
      return { type: 'line', of: 'oxbow', time, payload };
    },
  ],
  'request.ended': [
    form(
      'oxbow',
      String.raw`"kind":"request\.ended","request":${NUMBER},"ms":${NUMBER},"model":${TEXT},"usage":${USAGE},${COSTS}`,
    ),
    (time, found) => ({ type: 'line', of: 'oxbow', time, payload: requestEnd(found) }),
  ],
};

type UsualForm = readonly [form: RegExp, read: (time: LineTime, found: RegExpExecArray) => UsageLine];

/** Returns the form of a line of a type with these fields. Its first group is the time. */
function form(type: string, fields: string): RegExp {
  const beginning = String.raw`^\{"timestamp":"([\w:.+-]*)",(?:"ordinal":\d+,)?"type":"${type}","payload":`;
  return new RegExp(String.raw`${beginning}\{${fields}\}(?:,"oxbow_more":\d+)?\}$`);
}

function requestEnd([, , request, ms, model, ...values]: RegExpExecArray): PlainLine['payload'] {
  const [input, cached, cacheWrite, output, reasoning, total, cost, retries, repairs, sent, received] = values;
  return {
    kind: 'request.ended',
    request: Number(request),
    ms: Number(ms),
    model,
    usage: {
      input_tokens: Number(input),
      cached_input_tokens: Number(cached),
      cache_write_input_tokens: Number(cacheWrite ?? 0),
      output_tokens: Number(output),
      reasoning_output_tokens: Number(reasoning),
      total_tokens: Number(total),
    },
    cost: Number(cost),
    retries: Number(retries),
    repairs: Number(repairs),
    sent_bytes: Number(sent),
    received_bytes: Number(received),
  };
}

/** Reads a line of a usual form; undefined for another form. */
function usualLine({ kind = '' }: LineHead, bytes: Buffer, start: number, end: number): UsageLine | undefined {
  const usual = USUAL[kind];
  if (usual === undefined) return undefined;
  const [pattern, read] = usual;
  const found = pattern.exec(bytes.toString('latin1', start, end));
  return found ? read(() => found[1] ?? null, found) : undefined;
}

const TAIL_BYTES = 256;
/** Quotes inside a text are escaped, so a match is a field of the line itself. */
const DURATION = /,"metadata":\{[^{}]*"duration_ms":(\d+(?:\.\d+)?)[^{}]*\}(?:,"\w+":\d+)?\}\s*$/;

function durationAtEnd(bytes: Buffer, start: number, end: number): number | undefined {
  const [, ms] = DURATION.exec(bytes.toString('latin1', Math.max(start, end - TAIL_BYTES), end)) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Parses a line; undefined if it is damaged. */
function parse(bytes: Buffer, start: number, end: number): PlainLine | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    if (!isRecord(value) || typeof value.type !== 'string' || !isRecord(value.payload)) return undefined;
    const time = typeof value.timestamp === 'string' ? value.timestamp : null;
    return { type: 'line', of: value.type, time: () => time, payload: value.payload };
  } catch {
    return undefined;
  }
}
