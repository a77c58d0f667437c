import { isCall } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { customForm } from './custom-form.ts';
import { END_MARK } from './end-mark.ts';
import { type ChatChunk, createResponseChunks } from './response-chunks.ts';

/** Encodes a whole response: its chunks, put together. A call that was cut off is left out. */
export function encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  const chunks = createResponseChunks({ ...options, includeUsage: true });
  const body: Body = { head: {}, message: {}, calls: new Map(), finish: null, usage: undefined };
  for (const chunk of wholeCalls(events).flatMap((event) => chunks.push(event))) {
    if (chunk === END_MARK) continue;
    if (chunk.error !== undefined) return chunk;
    addChunk(body, chunk);
  }
  return completion(body);
}

interface Body {
  head: Fields;
  readonly message: Record<string, string>;
  readonly calls: CallBodies;
  finish: unknown;
  usage: unknown;
}

export type CallBody = Record<string, unknown>;

/** Calls by their numbers, in the order in which they began. */
export type CallBodies = Map<unknown, CallBody>;

/** Leaves out the pieces of calls, and calls that were cut off: a body has only the final form of each call. */
function wholeCalls(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const calls = events.flatMap((event) => (event.type === 'item.done' && isCall(event.item) ? [event.item] : []));
  const whole = new Set(calls.flatMap(({ id, call_id }) => [id, call_id]));
  return events.filter((event) => {
    if (event.type === 'input.delta') return false;
    if (event.type !== 'item.started' || event.item.callId === undefined) return true;
    return whole.has(event.item.id) || whole.has(event.item.callId);
  });
}

function addChunk(body: Body, { choices, usage, ...head }: Exclude<ChatChunk, string>): void {
  body.head = head;
  body.usage = usage ?? body.usage;
  const [choice] = Array.isArray(choices) ? choices.filter(isRecord) : [];
  if (choice === undefined) return;
  body.finish = choice.finish_reason ?? body.finish;
  if (isRecord(choice.delta)) addDelta(body, choice.delta);
}

function addDelta({ message, calls }: Body, { role: _, tool_calls, ...texts }: Fields): void {
  for (const [name, text] of Object.entries(texts)) message[name] = (message[name] ?? '') + String(text);
  for (const piece of Array.isArray(tool_calls) ? tool_calls.filter(isRecord) : []) addCall(calls, piece);
}

/**
 * Adds a piece of a call. The first piece has the id, the name and an empty text; later pieces only extend the text.
 */
export function addCall(calls: CallBodies, { index, ...piece }: Fields): void {
  const call = calls.get(index);
  if (call === undefined) calls.set(index, piece);
  else if (customForm(piece) !== undefined) call.custom = joined(call.custom, piece.custom, 'input');
  else if (isRecord(piece.function)) call.function = joined(call.function, piece.function, 'arguments');
}

function joined(form: unknown, next: unknown, name: 'arguments' | 'input'): Fields {
  const known = fieldsOf(form);
  const piece = fieldsOf(next);
  return { ...known, [name]: `${known[name] ?? ''}${piece[name] ?? ''}` };
}

function completion({ head, message, calls, finish, usage }: Body): object {
  const { content = '', refusal = null, ...reasoning } = message;
  const isSilent = content === '' && (calls.size > 0 || refusal !== null);
  const whole = {
    role: 'assistant',
    content: isSilent ? null : content,
    refusal,
    ...reasoning,
    ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
  };
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: whole, logprobs: null, finish_reason: finish }],
    ...(usage !== undefined && { usage }),
  };
}
