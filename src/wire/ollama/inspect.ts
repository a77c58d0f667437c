import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { FrameKind } from '../edge/edge-wire.ts';
import { readFailure } from '../edge/read-failure.ts';
import { isSet, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';

export function inspect(frame: Frame): FrameKind {
  const line = frameValue(frame);
  if (!isRecord(line)) return 'other';
  if (failureIn(line) !== undefined) return 'failure';
  if (line.done === true) return 'end';
  return saysSomething(line) ? 'speaks' : 'other';
}

/** Returns the number of calls in a line. Each call comes whole. */
export function callsIn(frame: Frame): number {
  const line = frameValue(frame);
  const calls = isRecord(line) ? messageIn(line).tool_calls : undefined;
  return Array.isArray(calls) ? calls.length : 0;
}

/** Returns the failure that a line reports; undefined if it reports none. The gateway adds a code to its own. */
export function failureIn({ error, code }: Fields): ReturnType<typeof readFailure> | undefined {
  if (!isSet(error)) return undefined;
  return readFailure(typeof error === 'string' ? { message: error, code } : error);
}

/** Returns the message of a line. The answer to a prompt has its texts in the line itself. */
export function messageIn(line: Fields): Fields {
  return isRecord(line.message) ? line.message : { content: line.response, thinking: line.thinking };
}

/** Reports whether a line has a part of the answer. */
export function saysSomething(line: Fields): boolean {
  const { content, thinking, tool_calls } = messageIn(line);
  if (wordOf(content) !== undefined || wordOf(thinking) !== undefined) return true;
  return Array.isArray(tool_calls) && tool_calls.length > 0;
}
