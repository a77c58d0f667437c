import { expect, test } from 'vitest';
import type { Frame } from '../../base/wire.ts';
import { edge as chat } from '../../wire/chat/edge.ts';
import { edge as responses } from '../../wire/responses/edge.ts';
import { firstCallOnly } from './single-call.ts';

const EDGES = { chat, responses };

function kept(wire: 'chat' | 'responses', values: readonly object[]) {
  let drops = 0;
  const keep = firstCallOnly(EDGES[wire], () => drops++);
  const frames = values.map((value): Frame => ({ data: JSON.stringify(value) }));
  const out = frames.flatMap((frame) => keep(frame) ?? []);
  return { values: out.map(({ data }) => JSON.parse(data)), same: out.every((frame) => frames.includes(frame)), drops };
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const piece = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });

test('a chat stream keeps its first call and its end', () => {
  const stream = [
    chunk({ content: 'Hi' }),
    chunk(piece(0, '{')),
    chunk(piece(1, '{')),
    chunk(piece(0, '}')),
    chunk({}, 'tool_calls'),
  ];
  const { values, drops } = kept('chat', stream);
  expect(values).toEqual([stream[0], stream[1], stream[3], stream[4]]);
  expect(drops).toBe(1);
});

test('a chunk with several calls keeps the first of them', () => {
  const both = { tool_calls: [...piece(0, 'a').tool_calls, ...piece(1, 'b').tool_calls] };
  expect(kept('chat', [chunk(both, 'tool_calls')]).values).toEqual([chunk(piece(0, 'a'), 'tool_calls')]);
});

test('a whole completion keeps its first call', () => {
  const whole = (...names: string[]) => ({
    choices: [{ message: { tool_calls: names.map((name) => ({ function: { name } })) }, finish_reason: 'tool_calls' }],
  });
  expect(kept('chat', [whole('a', 'b')]).values).toEqual([whole('a')]);
});

test('a Responses stream keeps the life of its first call, and lists only that', () => {
  const call = (call_id: string) => ({ type: 'function_call', call_id });
  const message = { type: 'message' };
  const at = (type: string, output_index: number, fields: object = {}) => ({ type, output_index, ...fields });
  const completed = (...output: object[]) => ({ type: 'response.completed', response: { output } });
  const stream = [
    at('response.output_item.added', 0, { item: message }),
    at('response.output_item.added', 1, { item: call('a') }),
    at('response.output_item.done', 1, { item: call('a') }),
    at('response.output_item.added', 2, { item: call('b') }),
    at('response.function_call_arguments.delta', 2, { delta: '{}' }),
    at('response.output_item.done', 2, { item: call('b') }),
    completed(message, call('a'), call('b')),
  ];
  const { values, drops } = kept('responses', stream);
  expect(values).toEqual([stream[0], stream[1], stream[2], completed(message, call('a'))]);
  expect(drops).toBe(1);
  expect(kept('responses', [{ output: [call('a'), call('b')] }]).values).toEqual([{ output: [call('a')] }]);
});

test('a response with at most one call keeps its frames', () => {
  expect(kept('chat', [chunk({ content: 'Hi' }), chunk(piece(0, '{}')), chunk({}, 'tool_calls')])).toMatchObject({
    same: true,
    drops: 0,
  });
});
