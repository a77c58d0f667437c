import { isUtf8 } from 'node:buffer';
import { messageOf } from '../base/errors.ts';
import { itemText } from '../base/item-text.ts';
import { isRecord } from '../base/json-schema.ts';
import type { LogLine } from '../base/log.ts';

/**
 * A line as it stands in the file, its line feed included. An item is written in its one serialisation. Files in which
 * lines have no ordinals get none from us.
 */
export function encodeLine(line: LogLine, ordinal: number | undefined, now: number): string {
  const payload = line.type === 'response_item' ? itemText(line.payload) : JSON.stringify(line.payload);
  const metadata = line.type === 'response_item' && line.metadata ? `,"metadata":${JSON.stringify(line.metadata)}` : '';
  const place = ordinal === undefined ? '' : `"ordinal":${ordinal},`;
  return `{"timestamp":"${new Date(now).toISOString()}",${place}"type":"${line.type}","payload":${payload}${metadata}}\n`;
}

/** A line of a file as a log line; undefined for kinds that are not ours to read. Throws on what is no line. */
export function decodeLine(text: string): LogLine | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value.type !== 'string') throw new WrongShape('it has no type');
  if (!KNOWN.has(value.type)) return undefined;
  if (!isRecord(value.payload)) throw new WrongShape('it has no payload');
  return value as unknown as LogLine;
}

/** What is JSON but cannot be what it says it is. */
export class WrongShape extends Error {
  override readonly name = 'WrongShape';
}

/** Reduces a line to what may be used; undefined where nothing may. Throws `WrongShape` when that is worth telling. */
export type LineGate = (line: LogLine) => LogLine | undefined;

/** Reads the bytes of a line. What is wrong with it is reported, and where it cannot be used gives undefined. */
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
