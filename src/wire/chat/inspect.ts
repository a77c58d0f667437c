import { isRecord } from '../../base/json-schema.ts';
import type { FrameKind } from '../edge/edge-wire.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { isEndMark } from './end-mark.ts';

export function inspect(frame: RunningFrame): FrameKind {
  if (frame.text !== undefined) return 'speaks';
  const chunk = frameValue(frame);
  if (!isRecord(chunk)) return isEndMark(frame) ? 'end' : 'other';
  if (errorOf(chunk) !== undefined) return 'failure';
  return Array.isArray(chunk.choices) && chunk.choices.some(saysSomething) ? 'speaks' : 'other';
}

/** Returns the number of calls that a chunk begins: the first piece of a call has the name of its tool. */
export function callsIn(frame: RunningFrame): number {
  const chunk = frame.text === undefined ? frameValue(frame) : undefined;
  if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return 0;
  let count = 0;
  for (const choice of chunk.choices) {
    const calls = choice?.delta?.tool_calls;
    if (Array.isArray(calls)) count += calls.filter(isNamed).length;
  }
  return count;
}

function isNamed(call: unknown): boolean {
  const { function: form, custom } = fieldsOf(call);
  return isSet(fieldsOf(form).name) || isSet(fieldsOf(custom).name);
}

/** Returns the error that a chunk reports; undefined if it reports none. */
export function errorOf(chunk: Fields): unknown {
  if (isSet(chunk.error)) return chunk.error;
  const choice = Array.isArray(chunk.choices) ? chunk.choices.find(isRecord) : undefined;
  return choice?.finish_reason === 'error'
    ? (choice.error ?? 'The server ended the response with an error.')
    : undefined;
}

/** Reports whether a choice has its finish signal. */
export function isFinished(choice: unknown): boolean {
  return isRecord(choice) && typeof choice.finish_reason === 'string' && choice.finish_reason !== '';
}

/** Reports whether a choice has content. The first chunk often has the role and nothing else. */
export function saysSomething(choice: unknown): boolean {
  if (isFinished(choice)) return true;
  const delta = isRecord(choice) ? choice.delta : undefined;
  return (
    isRecord(delta) &&
    // Fast path: most chunks have content.
    ((typeof delta.content === 'string' && delta.content !== '') || hasMoreThanRole(delta))
  );
}

function hasMoreThanRole(delta: Fields): boolean {
  for (const name in delta) {
    const value = delta[name];
    if (name !== 'role' && value !== null && value !== '' && !isEmpty(value)) return true;
  }
  return false;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
