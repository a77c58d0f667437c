import { expect, test } from 'vitest';
import {
  began,
  call,
  closed,
  ending,
  frameOf,
  piece,
  repair,
  type Sent,
  START,
  text,
} from './fixtures/repair-events.ts';

const CALL = { name: 'add', input: { a: 1 } };
const json = (partial_json: unknown) => ({ type: 'input_json_delta', partial_json });
const TOOL = { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} };
const SECOND = { ...TOOL, id: 'toolu_2' };
const nameless = (sent: Sent): Sent => ({ data: frameOf(sent).data });

interface Broken {
  readonly sent: readonly Sent[];
  readonly calls?: readonly unknown[];
  readonly text?: string;
  readonly end?: unknown;
  readonly ids: readonly string[];
}

const BROKEN: Readonly<Record<string, Broken>> = {
  'a call that ends like a text': {
    sent: [START, ...call(0, 't', 'add', '{"a":1}'), ...ending('end_turn')],
    ids: ['A1'],
  },
  'a reason in the words of another protocol': {
    sent: [START, ...call(0, 't', 'add', '{"a":1}'), ...ending('tool_calls')],
    ids: ['A7'],
  },
  'a call that was cut off': {
    sent: [START, ...call(0, 't', 'add', '{"a":'), ...ending('tool_use')],
    calls: [],
    end: 'max_tokens',
    ids: ['A9'],
  },
  'a call without an id': { sent: [START, ...call(0, '', 'add', '{"a":1}'), ...ending('tool_use')], ids: ['B3'] },
  'a number as a text': { sent: [START, ...call(0, 't', 'add', '{"a":"1"}'), ...ending('tool_use')], ids: ['C10'] },
  'a call in the text': {
    sent: [
      START,
      ...text(0, 'Let me add.\n<tool_call>', '{"name":"add","arguments":{"a":1}}</tool_call>'),
      ...ending('end_turn'),
    ],
    text: 'Let me add.\n',
    ids: ['D1'],
  },
  'input that came with the beginning of its block': {
    sent: [START, began(0, { ...TOOL, input: { a: 1 } }), closed(0), ...ending('tool_use')],
    ids: ['I1'],
  },
  'a piece under another index': {
    sent: [START, began(0, TOOL), piece(3, json('{"a":1}')), closed(0), ...ending('tool_use')],
    ids: ['I2'],
  },
  'a block that stays open': {
    sent: [START, began(0, TOOL), piece(0, json('{"a":1}')), ...ending('tool_use')],
    ids: ['I3'],
  },
  'input after the end of its block': {
    sent: [START, began(0, TOOL), closed(0), piece(0, json('{"a":1}')), ...ending('tool_use')],
    ids: ['I2'],
  },
  'input after the end of its block and the beginning of another': {
    sent: [START, began(0, TOOL), closed(0), ...text(1, 'Hm.'), piece(0, json('{"a":1}')), ...ending('tool_use')],
    calls: [{ name: 'add', input: {} }],
    text: 'Hm.',
    end: 'failed',
    ids: ['I2'],
  },
  'input of several calls after the ends of their blocks': {
    sent: [
      ...[START, began(0, TOOL), closed(0), began(1, SECOND), closed(1)],
      ...[piece(0, json('{"a":')), piece(1, json('{"a":2}')), piece(0, json('1}')), ...ending('tool_use')],
    ],
    calls: [CALL, { name: 'add', input: { a: 2 } }],
    ids: ['I2'],
  },
  'input of the last call before that of the first, after the ends of their blocks': {
    sent: [
      ...[START, began(0, TOOL), closed(0), began(1, SECOND), closed(1)],
      ...[piece(1, json('{"a":2}')), piece(0, json('{"a":1}')), ...ending('tool_use')],
    ],
    calls: [CALL, { name: 'add', input: { a: 2 } }],
    ids: ['I2'],
  },
  'input of one of several calls after the ends of their blocks': {
    sent: [
      ...[START, began(0, TOOL), closed(0), began(1, SECOND), closed(1)],
      ...[piece(0, json('{"a":1}')), ...ending('tool_use')],
    ],
    calls: [],
    end: 'failed',
    ids: ['I2'],
  },
  'input under the index of a call that ended, while another call is open': {
    sent: [
      ...[START, began(0, TOOL), closed(0), began(1, SECOND), piece(0, json('{"a":1}')), closed(1)],
      ...ending('tool_use'),
    ],
    calls: [],
    end: 'failed',
    ids: ['I2'],
  },
  'input right after the end of its block, after a call without input': {
    sent: [
      ...[START, began(0, TOOL), closed(0), began(1, SECOND), closed(1)],
      ...[piece(1, json('{"a":2}')), ...ending('tool_use')],
    ],
    calls: [
      { name: 'add', input: {} },
      { name: 'add', input: { a: 2 } },
    ],
    ids: ['I2'],
  },
  'input that is repeated after the end of its block': {
    sent: [START, began(0, TOOL), piece(0, json('{"a":')), closed(0), piece(0, json('{"a":1}')), ...ending('tool_use')],
    ids: ['I12', 'I2'],
  },
  'empty input after the end of its block and the beginning of another': {
    sent: [START, began(0, TOOL), closed(0), ...text(1, 'Hm.'), piece(0, json('{}')), ...ending('tool_use')],
    calls: [{ name: 'add', input: {} }],
    text: 'Hm.',
    ids: ['I2'],
  },
  'input under an index that begins later': {
    sent: [
      ...[START, began(0, TOOL), piece(1, json('{"a":1}')), closed(0)],
      ...[began(1, { ...TOOL, id: 'toolu_2' }), closed(1), ...ending('tool_use')],
    ],
    calls: [],
    end: 'max_tokens',
    ids: ['A9', 'I2'],
  },
  'input under an index that only ends later': {
    sent: [START, began(0, TOOL), piece(1, json('{"a":1}')), closed(0), closed(1), ...ending('tool_use')],
    calls: [],
    end: 'max_tokens',
    ids: ['A9', 'I2'],
  },
  'input under an index that begins later, in front of the input of a call': {
    sent: [
      ...[START, began(0, TOOL), piece(1, json('{"a":2}')), piece(0, json('{"a":1}')), closed(0)],
      ...[began(1, { ...TOOL, id: 'toolu_2' }), closed(1), ...ending('tool_use')],
    ],
    calls: [CALL, { name: '', input: { a: 2 } }],
    end: 'max_tokens',
    ids: ['A9', 'B3', 'I2', 'I3'],
  },
  'thinking in which nothing can be read': {
    sent: [
      START,
      began(0, { type: 'thinking', thinking: '', signature: '' }),
      piece(0, { type: 'thinking_delta', thinking: {} }),
      closed(0),
      ...call(1, 't', 'add', '{"a":1}'),
      ...ending('tool_use'),
    ],
    ids: ['B12'],
  },
  'events without names': {
    sent: [START, ...call(0, 't', 'add', '{"a":1}'), ...ending('tool_use')].map(nameless),
    ids: ['I8'],
  },
  'a message without a beginning': { sent: [...call(0, 't', 'add', '{"a":1}'), ...ending('tool_use')], ids: ['I9'] },
};

test.each(Object.entries(BROKEN))('%s', (_, broken) => {
  const { calls, text: said, end, ids } = repair(broken.sent);
  expect({ calls, text: said, end, ids }).toEqual({
    calls: broken.calls ?? [CALL],
    text: broken.text ?? '',
    end: broken.end ?? 'tool_use',
    ids: broken.ids,
  });
});

test('an event between the pieces of a call that waits stays there', () => {
  const usage = {
    type: 'message_delta',
    delta: { stop_reason: null, stop_sequence: null },
    usage: { output_tokens: 5 },
  };
  const { frames } = repair([
    ...[START, began(0, TOOL), piece(0, json('{"a":')), closed(0), began(1, { ...TOOL, id: 'toolu_2' })],
    ...[piece(1, json('{"a":')), usage, closed(1), ...ending('max_tokens')],
  ]);
  expect(frames.slice(-4).map(({ event }) => event)).toEqual([
    ...['message_delta', 'content_block_stop', 'message_delta', 'message_stop'],
  ]);
});

test('a connection that ends in the middle of a call fails', () => {
  const { end, error, calls } = repair([START, began(0, TOOL), piece(0, json('{"a":'))]);
  expect({ end, calls }).toEqual({ end: 'failed', calls: [] });
  expect(error?.message).toMatch(/./);
});
