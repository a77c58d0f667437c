import type { Item } from '../../../src/base/item.ts';
import type { ModelEvent } from '../../../src/base/model.ts';
import { at } from './expect-field.ts';
import { findWire } from './find-wire.ts';
import type { PlainAnswer } from './read-exchanges.mjs';

/** Returns the body of a valid answer to a request, as a server of that wire writes it. */
export function writeAnswer(wire: 'chat' | 'responses', answer: PlainAnswer, request: { readonly stream?: unknown }) {
  const options = { model: 'some-model', createdAt: 1_757_000_000, includeUsage: true };
  const events = eventsOf(answer, request);
  if (request.stream !== true) {
    return { type: 'application/json', body: JSON.stringify(findWire(wire).encodeBody(events, options)) };
  }
  const encoder = findWire(wire).encodeStream(options);
  const frames = events.flatMap((event) => encoder.push(event));
  const body = frames.map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
  return { type: 'text/event-stream', body: body.join('') };
}

function eventsOf(answer: PlainAnswer, request: object): readonly ModelEvent[] {
  const { text = '', reasoning = '', calls = [], incomplete, usage } = answer;
  const items: readonly Item[] = [
    ...(reasoning === '' ? [] : [thought(reasoning)]),
    ...(text === '' ? [] : [message(text)]),
    ...calls.map(
      ({ id, name, arguments: args }, i): Item => ({
        type: 'function_call',
        id: `fc_${i}`,
        call_id: id,
        name: typeof name === 'string' ? name : String(at(request, name.at)),
        arguments: args,
      }),
    ),
  ];
  const responseId = 'resp_plain';
  const counted = usage && {
    inputTokens: usage.input,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: usage.output,
    reasoningOutputTokens: 0,
    totalTokens: usage.input + usage.output,
  };
  return [
    { type: 'created', responseId },
    ...items.map((item): ModelEvent => ({ type: 'item.done', item })),
    incomplete === undefined
      ? { type: 'completed', responseId, usage: counted ?? null, endTurn: null }
      : { type: 'incomplete', responseId, reason: incomplete, usage: counted ?? null },
  ];
}

function thought(text: string): Item {
  return {
    type: 'reasoning',
    id: 'rs_0',
    summary: [],
    content: [{ type: 'reasoning_text', text }],
    encrypted_content: null,
  };
}

function message(text: string): Item {
  return { type: 'message', id: 'msg_0', role: 'assistant', content: [{ type: 'output_text', text }] };
}
