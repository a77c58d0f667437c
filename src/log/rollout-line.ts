import { isUtf8 } from 'node:buffer';
import { messageOf } from '../base/errors.ts';
import { itemText } from '../base/item-text.ts';
import { isRecord } from '../base/json-schema.ts';
import type { LogLine } from '../base/log.ts';

/**
 * Encodes a line as it is stored, without a line feed. An item keeps its first serialisation. The ordinal is optional.
 */
export function encodeLine(line: LogLine, ordinal: number | undefined, now: number): string {
  const payload = line.type === 'response_item' ? itemText(line.payload) : JSON.stringify(line.payload);
  const metadata = line.type === 'response_item' && line.metadata ? `,"metadata":${JSON.stringify(line.metadata)}` : '';
  const place = ordinal === undefined ? '' : `"ordinal":${ordinal},`;
  return `{"timestamp":"${new Date(now).toISOString()}",${place}"type":"${line.type}","payload":${payload}${metadata}}`;
}

/**
 * Encodes lines that belong together, each with a line feed. Each line but the last says how many lines follow, so that
 * an incomplete group at the end of a file is recognised.
 */
export function encodeGroup(lines: readonly LogLine[], ordinal: number | undefined, now: number): string {
  return lines
    .map((line, index) => {
      const text = encodeLine(line, ordinal === undefined ? undefined : ordinal + index, now);
      const more = lines.length - 1 - index;
      return more === 0 ? `${text}\n` : `${text.slice(0, -1)},"${MORE}":${more}}\n`;
    })
    .join('');
}

const MORE = 'oxbow_more';
const MORE_AT_END = new RegExp(`,"${MORE}":(\\d+)\\}$`);

/** Bytes at the end of a line that may hold the number of following lines. */
export const MORE_BYTES = 32;

/** Returns the number of lines that follow a line in its group, given its last bytes. */
export function followingLines(end: Buffer): number {
  const [, more] = MORE_AT_END.exec(end.toString('latin1', Math.max(0, end.length - MORE_BYTES))) ?? [];
  return more === undefined ? 0 : Number(more);
}

/** Returns the line without its group mark. */
export function withoutGroup(line: Buffer): Buffer {
  if (followingLines(line) === 0) return line;
  return Buffer.concat([line.subarray(0, line.lastIndexOf(`,"${MORE}":`)), Buffer.from('}')]);
}

/**
 * Decodes the text of a stored line; undefined for kinds that only other programs read. Throws if the text is not a
 * line.
 */
export function decodeLine(text: string): LogLine | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value.type !== 'string') throw new WrongShape('it has no type');
  if (!KNOWN.has(value.type)) return undefined;
  if (!isRecord(value.payload)) throw new WrongShape('it has no payload');
  return value as unknown as LogLine;
}

/** Error for a line that is JSON but does not match its type. */
export class WrongShape extends Error {
  override readonly name = 'WrongShape';
}

/**
 * Filter that reduces a line to its usable fields; undefined if it has no such fields. Throws `WrongShape` if a warning is
 * due.
 */
export type LineGate = (line: LogLine) => LogLine | undefined;

/** Decoder of the bytes of a line. Reports faults; undefined if the line is unusable. */
export type LineDecoder = (bytes: Buffer, report: (fault: string) => void) => LogLine | undefined;

export function lineDecoder(gate: LineGate): LineDecoder {
  return (bytes, report) => {
    try {
      const decoded = decodeLine(bytes.toString('utf8'));
      const line = decoded && gate(decoded);
      if (line && !isUtf8(bytes)) report('holds bytes that are no text: they were replaced');
      return line;
    } catch (error) {
      const what = error instanceof WrongShape ? `was skipped: ${error.message}` : notJson(error);
      report(what);
      return undefined;
    }
  };
}

function notJson(error: unknown): string {
  return `is not JSON and was skipped (${messageOf(error)})`;
}

const KNOWN: ReadonlySet<string> = new Set<LogLine['type']>([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'oxbow',
]);
