import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';

const OPTIONS = { model: 'm', createdAt: 1_700_000_000 };
const HEAD = { model: 'm', created_at: '2023-11-14T22:13:20.000Z' };
const CREATED: ModelEvent = { type: 'created', responseId: 'r' };
const COMPLETED: ModelEvent = { type: 'completed', responseId: 'r', usage: null, endTurn: null };
const DURATIONS = { total_duration: 0, load_duration: 0, prompt_eval_duration: 0, eval_duration: 0 };

const textsOf = (events: readonly ModelEvent[]) => {
  const encoder = encodeStream(OPTIONS);
  return events.flatMap((event) => encoder.push(event)).map(({ data }) => data);
};
const linesOf = (events: readonly ModelEvent[]) => textsOf(events).map((data) => JSON.parse(data));
const bodyOf = (events: readonly ModelEvent[]) => encodeBody(events, OPTIONS);

const said = (delta: string, itemId = 'a'): ModelEvent => ({ type: 'text.delta', itemId, delta });
const thought = (delta: string, kind: 'raw' | 'summary' = 'raw'): ModelEvent => ({
  type: 'reasoning.delta',
  itemId: 't',
  kind,
  delta,
});
const done = (item: Item): ModelEvent => ({ type: 'item.done', item });
const call = (args: string, call_id = 'c1'): ModelEvent =>
  done({ type: 'function_call', id: `fc_${call_id}`, name: 'look', arguments: args, call_id });
const line = (message: object) => ({ ...HEAD, message: { role: 'assistant', content: '', ...message }, done: false });

describe('a stream', () => {
  test('has a line for each piece, and a last line with counts', () => {
    const usage = { ...NO_USAGE, inputTokens: 7, outputTokens: 5, totalTokens: 12 };
    expect(linesOf([CREATED, thought('Hm'), said('Good '), said('day'), { ...COMPLETED, usage }])).toEqual([
      line({ thinking: 'Hm' }),
      line({ content: 'Good ' }),
      line({ content: 'day' }),
      {
        ...HEAD,
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        ...DURATIONS,
        prompt_eval_count: 7,
        eval_count: 5,
      },
    ]);
  });

  test('has whole calls, with their arguments as they are written', () => {
    const [first, second] = textsOf([call('{"b": 12345678901234567890,\n"a":1.0}'), call('no JSON', 'c2')]);
    expect(first).toContain('"tool_calls":[{"id":"c1","function":{"index":0,"name":"look","arguments":');
    expect(first).toContain('{"b":12345678901234567890,"a":1.0}');
    expect(JSON.parse(second ?? '').message.tool_calls).toEqual([
      { id: 'c2', function: { index: 1, name: 'look', arguments: { input: 'no JSON' } } },
    ]);
  });

  test('has no pieces of calls, and no calls that were cut off', () => {
    const started: ModelEvent = {
      type: 'item.started',
      item: { type: 'function_call', id: 'f', name: 'look', callId: 'c' },
    };
    const pieces: ModelEvent = { type: 'input.delta', itemId: 'f', delta: '{"a":' };
    const cut: ModelEvent = { type: 'incomplete', responseId: 'r', reason: 'max_output_tokens', usage: null };
    expect(linesOf([CREATED, started, pieces, cut])).toMatchObject([{ done: true, done_reason: 'length' }]);
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('that is incomplete because of %s ends with %s', (reason, done_reason) => {
    expect(linesOf([{ type: 'incomplete', responseId: 'r', reason, usage: null }])).toMatchObject([{ done_reason }]);
  });

  test('has the rest of items that its pieces left out, and a blank line between messages', () => {
    const message = (id: string, text: string): Item => ({
      type: 'message',
      id,
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    });
    const events = [said('On', 'a'), done(message('a', 'One.')), done(message('b', 'Two.')), COMPLETED, said('!', 'a')];
    const pieces = linesOf(events).map(({ message: { content } }) => content);
    expect(pieces).toEqual(['On', 'e.', '\n\nTwo.', '']);
  });

  test('has one of the two texts of reasoning, and refusals as text', () => {
    const events: ModelEvent[] = [
      thought('short', 'summary'),
      { type: 'reasoning.section', itemId: 't' },
      thought('at length'),
      thought('more', 'summary'),
      { type: 'text.delta', itemId: 'a', delta: 'No.', refusal: true },
    ];
    expect(linesOf(events).map(({ message }) => message.thinking ?? message.content)).toEqual([
      'short',
      '\n\nmore',
      'No.',
    ]);
  });

  test('that fails ends with the error alone, which clients take for a failure', () => {
    const failed: ModelEvent = { type: 'failed', code: 'overloaded', message: 'Too busy.' };
    expect(linesOf([said('So'), failed, COMPLETED])).toEqual([
      line({ content: 'So' }),
      { error: 'Too busy.', code: 'overloaded' },
    ]);
    expect(textsOf([{ ...failed, code: null }])).toEqual(['{"error":"Too busy."}']);
    expect(bodyOf([said('So'), failed])).toEqual({ error: 'Too busy.', code: 'overloaded' });
  });
});

test('a whole body has everything in one message', () => {
  const events = [
    CREATED,
    thought('H'),
    thought('m'),
    said('Let '),
    said('me.'),
    call('{"a":1}'),
    call('{}', 'c2'),
    COMPLETED,
  ];
  expect(bodyOf(events)).toEqual({
    ...HEAD,
    message: {
      role: 'assistant',
      content: 'Let me.',
      thinking: 'Hm',
      tool_calls: [
        { id: 'c1', function: { index: 0, name: 'look', arguments: { a: 1 } } },
        { id: 'c2', function: { index: 1, name: 'look', arguments: {} } },
      ],
    },
    done: true,
    done_reason: 'stop',
    ...DURATIONS,
  });
});
