import { expect, test } from 'vitest';
import type { Frame } from '../../base/wire.ts';
import { repairedBody } from './repaired-body.ts';

const frame = (event: object): Frame => ({ data: JSON.stringify(event) });
const begin = (index: number, content_block: object) => frame({ type: 'content_block_start', index, content_block });
const piece = (index: number, delta: object) => frame({ type: 'content_block_delta', index, delta });

const answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'text', text: 'Cited.', citations: [{ type: 'char_location' }] },
    { type: 'text', text: '<tool_call>{"name":"f"}</tool_call>' },
    { type: 'tool_use', id: 't1', name: 'f', input: { x: 1 }, caller: { type: 'direct' } },
  ],
  stop_reason: 'end_turn',
  container: null,
  usage: { input_tokens: 1, output_tokens: 2, service_tier: 'standard' },
};

test('blocks that say the same keep their fields, and the others come from the events', () => {
  const frames = [
    frame({ type: 'message_start', message: { id: 'other', usage: { input_tokens: 9 } } }),
    begin(0, { type: 'text', text: '' }),
    piece(0, { type: 'text_delta', text: 'Cit' }),
    piece(0, { type: 'text_delta', text: 'ed.' }),
    begin(1, { type: 'tool_use', id: 't0', name: 'f', input: {} }),
    piece(1, { type: 'input_json_delta', partial_json: '{"y"' }),
    piece(1, { type: 'input_json_delta', partial_json: ':2}' }),
    begin(2, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
    piece(2, { type: 'input_json_delta', partial_json: '{"x":1}' }),
    frame({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    frame({ type: 'message_stop' }),
  ];
  expect(repairedBody(answer, frames)).toEqual({
    ...answer,
    content: [answer.content[0], { type: 'tool_use', id: 't0', name: 'f', input: { y: 2 } }, answer.content[2]],
    stop_reason: 'tool_use',
    stop_sequence: null,
  });
});

test('thoughts and citations are put together, and a missing usage is added', () => {
  const frames = [
    begin(0, { type: 'thinking', thinking: '', signature: '' }),
    piece(0, { type: 'thinking_delta', thinking: 'hm' }),
    piece(0, { type: 'signature_delta', signature: 'Eq=' }),
    begin(1, { type: 'text', text: '' }),
    piece(1, { type: 'citations_delta', citation: { type: 'page_location' } }),
    piece(1, { type: 'text_delta', text: 'a' }),
    frame({ type: 'message_delta', delta: {}, usage: { output_tokens: 7 } }),
  ];
  const { usage: _, ...rest } = answer;
  expect(repairedBody(rest, frames)).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'Eq=' },
      { type: 'text', text: 'a', citations: [{ type: 'page_location' }] },
    ],
    usage: { output_tokens: 7 },
  });
});

test('a message that passed in one piece stays, and another value is no message', () => {
  expect(repairedBody(answer, [frame(answer)])).toEqual(answer);
  expect(repairedBody({ choices: [] }, [])).toBeUndefined();
});

test('input that was written as a text becomes an object', () => {
  const call = { type: 'tool_use', id: 't1', name: 'f' };
  const frames = [
    begin(0, { ...call, input: {} }),
    piece(0, { type: 'input_json_delta', partial_json: '{"x":1}' }),
    frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
  ];
  const body = repairedBody({ ...answer, content: [{ ...call, input: '{"x":1}' }] }, frames);
  expect(body?.content).toEqual([{ ...call, input: { x: 1 } }]);
});
