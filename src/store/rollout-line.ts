import { itemText } from '../base/item-text.ts';
import { isRecord } from '../base/json-schema.ts';
import type { LogLine } from '../base/log.ts';

/** A line as it stands in the file, its newline included. An item is written in its one serialisation. */
export function encodeLine(line: LogLine, ordinal: number, now: number): string {
  const payload = line.type === 'response_item' ? itemText(line.payload) : JSON.stringify(line.payload);
  const metadata = line.type === 'response_item' && line.metadata ? `,"metadata":${JSON.stringify(line.metadata)}` : '';
  const timestamp = new Date(now).toISOString();
  return `{"timestamp":"${timestamp}","ordinal":${ordinal},"type":"${line.type}","payload":${payload}${metadata}}\n`;
}

/** A line of a file as a log line; undefined for kinds that are not ours to read. Throws on what is no JSON. */
export function decodeLine(text: string): LogLine | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value.type !== 'string' || !isRecord(value.payload)) return undefined;
  return KNOWN.has(value.type) ? (value as unknown as LogLine) : undefined;
}

const KNOWN: ReadonlySet<string> = new Set<LogLine['type']>([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'oxbow',
]);
