import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../base/model.ts';
import { decodeStream } from './decode-stream.ts';

/** Returns all events of a stream whose frames hold these values. */
function decode(...values: readonly unknown[]): ModelEvent[] {
  const decoder = decodeStream();
  return [...values.flatMap((value) => decoder.push({ data: JSON.stringify(value) })), ...decoder.end()];
}

/** Returns the events before the last one, for streams whose end does not matter. */
const body = (...values: readonly unknown[]) => decode(...values).slice(0, -1);

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const completed = (response: unknown) => ({ type: 'response.completed', response });

const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };

describe('the events of the protocol', () => {
  test('a response begins with its id', () => {
    expect(body({ type: 'response.created', response: { id: 'r' } })).toEqual([{ type: 'created', responseId: 'r' }]);
    expect(body({ type: 'response.created' })).toEqual([]);
  });

  test.each([
    ['output_text.delta', { type: 'text.delta' }],
    ['refusal.delta', { type: 'text.delta', refusal: true }],
    ['reasoning_summary_text.delta', { type: 'reasoning.delta', kind: 'summary' }],
    ['reasoning_text.delta', { type: 'reasoning.delta', kind: 'raw' }],
    ['function_call_arguments.delta', { type: 'input.delta' }],
    ['custom_tool_call_input.delta', { type: 'input.delta' }],
  ])('response.%s is a delta of its item', (name, event) => {
    const frame = { type: `response.${name}`, item_id: 'i', output_index: 0, delta: 'x' };
    expect(body(frame)).toEqual([{ ...event, itemId: 'i', delta: 'x' }]);
    expect(body({ ...frame, delta: { x: 1 } })).toEqual([]);
  });

  test('a new part of a summary is a section', () => {
    const frame = { type: 'response.reasoning_summary_part.added', item_id: 'i', summary_index: 1 };
    expect(body(frame)).toEqual([{ type: 'reasoning.section', itemId: 'i' }]);
  });

  test('a call is announced with its name and its call id', () => {
    expect(body(added(0, { type: 'function_call', id: 'i', name: 'f', call_id: 'c', arguments: '' }))).toEqual([
      { type: 'item.started', item: { type: 'function_call', id: 'i', name: 'f', callId: 'c' } },
    ]);
    expect(body(added(0, { type: 'local_shell_call', id: 'i' }))).toEqual([
      { type: 'item.started', item: { type: 'local_shell_call', id: 'i', callId: 'i' } },
    ]);
    expect(body(added(0, { type: 'tool_search_call', id: 'i', call_id: 'c' }))).toEqual([
      { type: 'item.started', item: { type: 'tool_search_call', id: 'i' } },
    ]);
  });

  test('a done item is canonical', () => {
    const call = { type: 'function_call', id: 'i', name: 'f', call_id: 'c', arguments: '{}' };
    expect(body(done(0, { ...call, status: 'completed' }))).toEqual([{ type: 'item.done', item: call }]);
  });

  test('a call that was cut off is dropped', () => {
    const half = {
      type: 'function_call',
      id: 'fc',
      call_id: 'c',
      name: 'f',
      arguments: '{"a":"x',
      status: 'incomplete',
    };
    expect(body(done(0, half))).toEqual([]);
    expect(body(done(0, { ...half, status: 'completed' }))).toHaveLength(1);
  });

  test('items of unknown types are ignored', () => {
    expect(body(added(0, { type: 'crystal_ball_call', id: 'i' }), done(0, { type: 'crystal_ball_call' }))).toEqual([]);
  });

  test.each([
    ['[DONE]'],
    [': ping'],
    [''],
    ['{"type":"response.completed"'],
    ['null'],
    ['[]'],
    ['{"type":"response.in_progress","response":{}}'],
    ['{"type":"constructor"}'],
    ['{"type":{"toString":1}}'],
  ])('%j is ignored', (data) => {
    expect(decodeStream().push({ data })).toEqual([]);
  });

  test('the name of the frame does not count', () => {
    const data = JSON.stringify({ type: 'response.created', response: { id: 'r' } });
    expect(decodeStream().push({ event: 'response.completed', data })).toEqual([{ type: 'created', responseId: 'r' }]);
  });
});

describe('items without ids', () => {
  test('get an id that stays from the announcement to the end', () => {
    const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'hi' };
    expect(body(added(0, message), delta, done(0, message))).toEqual([
      { type: 'item.started', item: { type: 'message', id: 'message_0' } },
      { type: 'text.delta', itemId: 'message_0', delta: 'hi' },
      { type: 'item.done', item: { ...message, id: 'message_0' } },
    ]);
  });

  test('get different ids, even if the server sends index 0 for every item or no index', () => {
    for (const index of [0, undefined as unknown as number]) {
      const ids = body(added(index, message), done(index, message), added(index, message), done(index, message)).map(
        (event) => 'item' in event && event.item.id,
      );
      expect(ids).toEqual(['message_0', 'message_0', 'message_1', 'message_1']);
    }
  });

  test('get different ids if only deltas came before', () => {
    const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'hi' };
    const ids = body(delta, done(0, message), delta, done(0, message)).map((event) =>
      event.type === 'text.delta' ? event.itemId : event.type === 'item.done' && event.item.id,
    );
    expect(ids).toEqual(['message_0', 'message_0', 'message_1', 'message_1']);
  });

  test('never get the id of another item', () => {
    const events = body(added(0, { ...message, id: 'message_0' }), done(1, message));
    expect(events.at(-1)).toEqual({ type: 'item.done', item: { ...message, id: 'message_1' } });
  });

  test('get an id at their first delta, which the done item keeps', () => {
    const delta = { type: 'response.output_text.delta', output_index: 3, delta: 'hi' };
    expect(body(delta, delta, done(3, { ...message, id: '' }))).toEqual([
      { type: 'text.delta', itemId: 'message_0', delta: 'hi' },
      { type: 'text.delta', itemId: 'message_0', delta: 'hi' },
      { type: 'item.done', item: { ...message, id: 'message_0' } },
    ]);
  });
});

describe('the end of a response', () => {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 16,
  };
  const read = {
    inputTokens: 10,
    cachedInputTokens: 4,
    cacheWriteInputTokens: 3,
    outputTokens: 5,
    reasoningOutputTokens: 2,
    totalTokens: 16,
  };

  test('completed has the usage', () => {
    expect(decode(completed({ id: 'r', usage, end_turn: false }))).toEqual([
      { type: 'completed', responseId: 'r', usage: read, endTurn: false },
    ]);
  });

  test.each([
    [undefined, null],
    [null, null],
    [
      { input_tokens: 1, output_tokens: 2 },
      { ...read, ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 }, ...zeros() },
    ],
    [{ input_tokens: 'many' }, { ...read, ...{ inputTokens: 0, outputTokens: 0, totalTokens: 0 }, ...zeros() }],
  ])('a usage of %j is tolerated', (given, expected) => {
    expect(decode(completed({ id: 'r', usage: given }))).toEqual([
      { type: 'completed', responseId: 'r', usage: expected, endTurn: null },
    ]);
  });

  test('a count that no number can hold is ignored', () => {
    const data = '{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":1e999}}}';
    expect(decodeStream().push({ data })).toMatchObject([{ usage: { inputTokens: 0, totalTokens: 0 } }]);
  });

  test('nothing follows completed', () => {
    expect(decode(completed({ id: 'r' }), done(0, message), { type: 'error', message: 'late' })).toHaveLength(1);
  });

  test.each([undefined, null, [], {}, { id: 7 }])('completed with %j for a response is a failure', (response) => {
    expect(decode(completed(response))).toMatchObject([{ type: 'failed', code: 'invalid_response' }]);
  });

  test('incomplete says why', () => {
    const response = { id: 'r', incomplete_details: { reason: 'max_output_tokens' }, usage };
    expect(decode({ type: 'response.incomplete', response }, done(0, message))).toEqual([
      { type: 'incomplete', responseId: 'r', reason: 'max_output_tokens', usage: read },
    ]);
    expect(decode({ type: 'response.incomplete' })).toEqual([
      { type: 'incomplete', responseId: '', reason: 'unknown', usage: null },
    ]);
  });

  test('a failure waits for the end of the connection', () => {
    const decoder = decodeStream();
    const error = { code: 'rate_limit_exceeded', message: 'Wait.' };
    expect(decoder.push({ data: JSON.stringify({ type: 'response.failed', response: { error } }) })).toEqual([]);
    expect(decoder.push({ data: JSON.stringify(done(0, message)) })).toHaveLength(1);
    expect(decoder.end()).toEqual([{ type: 'failed', code: 'rate_limit_exceeded', message: 'Wait.' }]);
    expect(decoder.end()).toEqual([]);
    expect(decoder.push({ data: JSON.stringify(done(0, message)) })).toEqual([]);
  });

  test.each([
    [{ code: 'c', message: 'm' }, 'c', 'm'],
    [{ error: { code: 'c', message: 'm' } }, 'c', 'm'],
    [{ error: { type: 't', code: null, message: 'm' } }, 't', 'm'],
    [{ error: 'm' }, null, 'm'],
    [{}, null, 'The server reported a failure and did not say which.'],
  ])('an error event %j is a failure', (fields, code, text) => {
    expect(decode({ type: 'error', ...fields })).toEqual([{ type: 'failed', code, message: text, unfinished: true }]);
  });

  test('of two reports, the one with a code counts', () => {
    const error = { type: 'error', error: { code: 'c', message: 'm' } };
    const failed = { type: 'response.failed', response: { error: null } };
    expect(decode(error, failed)).toEqual(decode(failed, error));
    expect(decode(error, failed)).toEqual([{ type: 'failed', code: 'c', message: 'm' }]);
  });

  test('a connection that just ends is a broken stream', () => {
    expect(decode(done(0, message)).at(-1)).toEqual({
      type: 'failed',
      code: 'stream_closed',
      message: 'stream closed before response.completed',
    });
  });

  function zeros(): object {
    return { cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningOutputTokens: 0 };
  }
});

test('an item whose id changes with each event is found by its index', () => {
  const delta = { type: 'response.output_text.delta', item_id: 'b', output_index: 0, delta: 'hi' };
  const events = body(added(0, { ...message, id: 'a', content: [] }), delta, done(0, { ...message, id: 'c' }));
  expect(events.map((event) => ('item' in event ? event.item.id : 'itemId' in event && event.itemId))).toEqual([
    ...['a', 'a', 'a'],
  ]);
});

test('a second item with the same id is a different item', () => {
  const call = { type: 'function_call', id: 'i', call_id: 'c', name: 'f', arguments: '{}' };
  const items = body(done(0, call), done(0, { ...call, call_id: 'd' })).map((event) => 'item' in event && event.item);
  expect(items).toMatchObject([{ id: 'i', call_id: 'c' }, { call_id: 'd' }]);
  expect(items[1]).not.toHaveProperty('id', 'i');
});
