import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { decodeOpaqueState } from '../opaque/opaque-state.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

const DONE = '[DONE]';
const chunk = (delta: unknown, finish_reason: string | null = null) => ({
  id: 'r',
  choices: [{ index: 0, delta, finish_reason }],
});
const call = (index: number, fields: object) => ({
  index,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
  ...fields,
});
const text = (piece: string, fields: object = {}) => ({ type: 'reasoning.text', text: piece, index: 0, ...fields });

const user: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] };
const request: ModelRequest = {
  model: 'm',
  instructions: '',
  input: [user],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

function decode(chunks: readonly unknown[]): ModelEvent[] {
  const decoder = decodeStream(request);
  const frames = chunks.map((one) => ({ data: typeof one === 'string' ? one : JSON.stringify(one) }));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}
const doneItems = (chunks: readonly unknown[]) =>
  decode(chunks).flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
const carriedOf = (item: Item | undefined) =>
  item?.type === 'reasoning' ? decodeOpaqueState(item.encrypted_content) : undefined;

/** Returns the assistant message of the next request, with items as a rollout restores them. */
function replayed(chunks: readonly unknown[]) {
  const items: Item[] = JSON.parse(JSON.stringify(doneItems(chunks)));
  return JSON.parse(wholeText(encodeRequest({ ...request, input: [user, ...items] }, DEFAULT_COMPAT))).messages[1];
}

describe('opaque state of a server', () => {
  test('is in the next request unchanged', () => {
    const signed = { vendor: { signature: 'abc', parts: [1, null] } };
    const stream = [
      chunk({ reasoning: 'I ', reasoning_details: [text('I ', { format: 'f', signature: null })] }),
      chunk({ reasoning: 'look.', reasoning_details: [text('look.', { format: 'f', signature: null })] }),
      chunk({ reasoning_details: [text('', { signature: 'sealed' }), { type: 'reasoning.encrypted', data: 'x' }] }),
      chunk({ content: 'Wait.' }),
      chunk({ tool_calls: [call(0, { id: 'a', extra_content: signed })] }),
      chunk({ tool_calls: [call(1, { id: 'b' })] }),
      chunk({}, 'tool_calls'),
      DONE,
    ];
    expect(replayed(stream)).toEqual({
      role: 'assistant',
      content: 'Wait.',
      reasoning_content: 'I look.',
      reasoning_details: [
        text('I look.', { format: 'f', signature: 'sealed' }),
        { type: 'reasoning.encrypted', data: 'x' },
      ],
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: signed },
        { id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    });
  });

  test('has a reasoning item of its own before the calls if there was no reasoning text', () => {
    const stream = [
      chunk({ content: 'Wait.' }),
      chunk({ tool_calls: [call(0, { id: 'a', extra_content: { s: 1 } })] }),
      chunk({}, 'tool_calls'),
    ];
    const items = doneItems(stream);
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(items[0]).toEqual({
      type: 'reasoning',
      id: 'rs_r_2',
      summary: [],
      content: null,
      encrypted_content: expect.stringMatching(/^oxbow:/),
    });
    expect(carriedOf(items[0])).toEqual({ details: [], extra: new Map([['a', { s: 1 }]]) });
    expect(decode(stream)).toContainEqual({ type: 'item.started', item: { type: 'reasoning', id: 'rs_r_2' } });
  });

  test('belongs to the final id of the call', () => {
    const items = doneItems([chunk({ tool_calls: [call(0, { extra_content: 1 })] }), chunk({}, 'stop')]);
    const made = items.find((item) => item.type === 'function_call');
    expect(carriedOf(items[0])?.extra).toEqual(new Map([[made?.call_id, 1]]));
  });

  test('may come with any piece of a call, and the last one counts', () => {
    const piece = (fields: object) => chunk({ tool_calls: [{ index: 0, ...fields }] });
    const items = doneItems([
      piece({ id: 'a', function: { name: 'f', arguments: '{' }, extra_content: 1 }),
      piece({ function: { arguments: '}' }, extra_content: 2 }),
      piece({ extra_content: null }),
      chunk({}, 'stop'),
    ]);
    expect(carriedOf(items[0])?.extra).toEqual(new Map([['a', 2]]));
  });

  test('may come with the finish signal, or after it', () => {
    const details = { reasoning_details: [text('hm')] };
    const calls = { tool_calls: [call(0, { id: 'a' })] };
    expect(replayed([chunk(calls), chunk(details, 'tool_calls'), DONE])).toMatchObject(details);
    const late = [chunk(calls), chunk({}, 'tool_calls'), chunk(details)];
    expect(replayed(late)).toMatchObject({ ...details, tool_calls: [{ id: 'a' }] });
    expect(decode(late).at(-1)).toMatchObject({ type: 'completed' });
  });

  test('of a response that was cut off is only that of its reasoning', () => {
    const stream = [
      chunk({ reasoning_details: [text('hm')] }),
      chunk({ tool_calls: [call(0, { id: 'a', extra_content: 1 })] }),
      chunk({}, 'length'),
      DONE,
    ];
    expect(doneItems(stream).map(carriedOf)).toEqual([{ details: [text('hm')], extra: new Map() }]);
  });

  test.each([[{ reasoning_details: [] }], [{ reasoning_details: null }], [{ reasoning_details: 'hm' }]])(
    '%j is nothing',
    (delta) => {
      expect(doneItems([chunk({ ...delta, content: 'a' }), chunk({}, 'stop'), DONE])).toMatchObject([
        { type: 'message' },
      ]);
    },
  );
});
