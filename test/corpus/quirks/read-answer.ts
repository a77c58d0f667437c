import { type Item, isCall } from '../../../src/base/item.ts';
import { isRecord } from '../../../src/base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../../src/base/model.ts';
import { canonicalItem } from '../../../src/wire/responses/canonical-item.ts';
import { streamFaults } from './answer-faults.ts';
import { findWire } from './find-wire.ts';
import type { Answered } from './gateway-scene.ts';
import { type CaseResult, readFrames, summary } from './run-case.ts';

type Fields = Readonly<Record<string, unknown>>;

export type ClientWire = 'chat' | 'responses';

/** An answer as a client reads it that repairs nothing. */
export interface ReadAnswer extends Omit<CaseResult, 'repairs' | 'came' | 'out'> {
  /** Whether the status reported the failure. */
  readonly refused: boolean;
  /** Faults that a strict client cannot accept, one line each. */
  readonly faults: readonly string[];
}

export function readAnswer(
  wire: ClientWire,
  { status, headers, bytes }: Pick<Answered, 'status' | 'headers' | 'bytes'>,
  { request, stream }: { readonly request: ModelRequest; readonly stream: boolean },
): ReadAnswer {
  if (status >= 400) return refusal(bytes);
  const type = String(headers['content-type']);
  const wanted = stream ? 'text/event-stream' : 'application/json';
  const faults = type.startsWith(wanted) ? [] : [`the answer is of the type ${type}`];
  if (stream) {
    const frames = readFrames([bytes]);
    const decoder = findWire(wire).decodeStream(request);
    const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
    return { ...summary(events), refused: false, faults: [...faults, ...streamFaults(wire, frames)] };
  }
  const body: unknown = JSON.parse(bytes.toString());
  const events = isRecord(body) ? (wire === 'chat' ? completionEvents(body, request) : responseEvents(body)) : [];
  return { ...summary(events), refused: false, faults };
}

/**
 * Returns the response object of an answer on the Responses wire: the body, or the object in the last event of a
 * stream.
 */
export function responseIn(bytes: Buffer, stream: boolean): Fields {
  const value: unknown = JSON.parse(stream ? (readFrames([bytes]).at(-1)?.data ?? 'null') : bytes.toString());
  const response: unknown = stream && isRecord(value) ? value.response : value;
  return isRecord(response) ? response : {};
}

function refusal(bytes: Buffer): ReadAnswer {
  const { error } = JSON.parse(bytes.toString()) as { readonly error: { readonly message: string } };
  const failed: ModelEvent = { type: 'failed', code: null, message: error.message };
  return { ...summary([failed]), refused: true, faults: typeof error.message === 'string' ? [] : ['no message'] };
}

/** Returns the events of a whole chat answer, which equals one chunk with all of it. */
function completionEvents(body: Fields, request: ModelRequest): readonly ModelEvent[] {
  const [choice] = Array.isArray(body.choices) ? body.choices.filter(isRecord) : [];
  const message = isRecord(choice?.message) ? choice.message : {};
  const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const tool_calls = calls.map((call, index) => (isRecord(call) ? { index, ...call } : call));
  const delta = { ...message, tool_calls };
  const chunk = { ...body, choices: [{ index: 0, delta, finish_reason: choice?.finish_reason }] };
  const decoder = findWire('chat').decodeStream(request);
  return [...decoder.push({ data: JSON.stringify(chunk) }), ...decoder.end()];
}

function responseEvents(body: Fields): readonly ModelEvent[] {
  const output = Array.isArray(body.output) ? body.output : [];
  const items = output.map((item) => canonicalItem(item)).filter((item) => item !== undefined);
  const type = `response.${String(body.status)}`;
  const decoder = findWire('responses').decodeStream();
  const deltas = items.flatMap(deltasOf);
  // A call of a response that was cut off does not run, whatever its own status says.
  const isWhole = (item: Item) => body.status === 'completed' || !isCall(item);
  const done = items.filter(isWhole).map((item): ModelEvent => ({ type: 'item.done', item }));
  return [...deltas, ...done, ...decoder.push({ data: JSON.stringify({ type, response: body }) }), ...decoder.end()];
}

function deltasOf(item: Item): readonly ModelEvent[] {
  const itemId = String(item.id);
  if (item.type === 'message') {
    return item.content.map((part) => {
      const delta = part.type === 'refusal' ? part.refusal : 'text' in part ? String(part.text) : '';
      return { type: 'text.delta', itemId, delta };
    });
  }
  if (item.type !== 'reasoning') return [];
  const texts = [...item.summary, ...(item.content ?? [])];
  return texts.map(({ text }) => ({ type: 'reasoning.delta', itemId, kind: 'raw', delta: text }));
}
