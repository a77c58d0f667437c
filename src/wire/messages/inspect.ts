import { isRecord } from '../../base/json-schema.ts';
import type { FrameKind } from '../edge/edge-wire.ts';
import { readFailure } from '../edge/read-failure.ts';
import { fieldsOf, isSet, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import type { RunningFrame } from '../framing/text-runs.ts';

export function inspect(frame: RunningFrame): FrameKind {
  if (frame.text !== undefined) return 'speaks';
  const event = frameValue(frame);
  if (!isRecord(event)) return 'other';
  if (errorOf(event) !== undefined) return 'failure';
  if (event.type === 'message_stop' || isWholeMessage(event)) return 'end';
  return event.type === 'content_block_start' || event.type === 'content_block_delta' ? 'speaks' : 'other';
}

/** Returns the number of calls that an event begins. */
export function callsIn(frame: RunningFrame): number {
  if (frame.text !== undefined) return 0;
  const event = frameValue(frame);
  if (!isRecord(event) || event.type !== 'content_block_start') return 0;
  return fieldsOf(event.content_block).type === 'tool_use' ? 1 : 0;
}

/** Returns the failure that an event reports; undefined if it reports none. */
export function errorOf(event: Fields): { readonly code: string | null; readonly message: string } | undefined {
  if (event.type !== 'error' && !isSet(event.error)) return undefined;
  const { code, message } = readFailure(event.error);
  const own = wordOf(fieldsOf(fieldsOf(event.error).details).error_code);
  return { code: own ?? (code === 'rate_limit_error' ? 'rate_limit_exceeded' : code), message };
}

/** Reports whether a value is a message in one piece, which a server sends where no stream was asked for. */
export function isWholeMessage({ type, role, content }: Fields): boolean {
  return Array.isArray(content) && (type === 'message' || (type === undefined && role === 'assistant'));
}
