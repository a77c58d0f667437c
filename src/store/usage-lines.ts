import { closeSync, fstatSync, openSync } from 'node:fs';
import { messageOf, UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { HEAD_BYTES, type LineHead, lineHead } from './line-head.ts';
import { readLines } from './read-lines.ts';

/** A line that tells what a thread took. */
export type UsageLine =
  /** Of an output only how long its call took is looked at. */
  | { readonly type: 'output'; readonly ms: number }
  | {
      readonly type: 'line';
      readonly of: string;
      /** As ISO text. */
      readonly time: string | null;
      readonly payload: Readonly<Record<string, unknown>>;
    };

/**
 * The lines of one rollout file that tell what was taken. All others are passed over without parsing them, so that a long
 * file takes as long as reading it. `onDamaged` hears of lines that cannot be read, by their number from 1.
 */
export async function* usageLines(
  path: string,
  onDamaged: (number: number) => void,
): AsyncGenerator<UsageLine, void, undefined> {
  const fd = openToRead(path);
  try {
    let number = 0;
    for await (const bytes of readLines(fd, 0, fstatSync(fd).size)) {
      number++;
      const head = lineHead(bytes, 0, bytes.length);
      if (head && isOutput(head)) {
        const ms = durationAtEnd(bytes);
        if (ms !== undefined) yield { type: 'output', ms };
      } else if (!head || tells(head, bytes)) {
        const line = parse(bytes);
        if (line) yield line;
        else onDamaged(number);
      }
    }
  } finally {
    closeSync(fd);
  }
}

function openToRead(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new UserError(`The rollout ${path} cannot be read: ${messageOf(error)}.`);
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

/** Messages with large images are not looked into: of those only the first words would be wanted. */
const LONGEST_MESSAGE_BYTES = 1024 * 1024;

function tells({ type, kind }: LineHead, bytes: Buffer): boolean {
  if (type === 'event_msg') return EVENTS.has(kind);
  if (type === 'oxbow') return OWN.has(kind);
  if (type === 'turn_context' || type === 'token_usage_record') return true;
  return type === 'response_item' && kind === 'message' && bytes.length < LONGEST_MESSAGE_BYTES && isOfUser(bytes);
}

function isOfUser(bytes: Buffer): boolean {
  return bytes.subarray(0, 2 * HEAD_BYTES).includes('"role":"user"');
}

function isOutput({ type, kind }: LineHead): boolean {
  return type === 'response_item' && kind?.endsWith('_output') === true;
}

const TAIL_BYTES = 256;
/** Quotes inside of a text are escaped: what looks like this is the line's own. */
const DURATION = /,"metadata":\{[^{}]*"duration_ms":(\d+(?:\.\d+)?)[^{}]*\}\}\s*$/;

function durationAtEnd(bytes: Buffer): number | undefined {
  const [, ms] = DURATION.exec(bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

/** Undefined when it is damaged. */
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
