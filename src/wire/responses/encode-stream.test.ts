import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { Frame } from '../../base/wire.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { encodeStream } from './encode-stream.ts';
import { anyItem, anyText } from './fixtures/arbitrary-items.ts';

function encode(events: readonly ModelEvent[]): Frame[] {
  const encoder = encodeStream({ model: 'm', createdAt: 1700000000 });
  return events.flatMap((event) => encoder.push(event));
}

const dataOf = (frames: readonly Frame[]) => frames.map((frame) => JSON.parse(frame.data));
const end: ModelEvent = { type: 'completed', responseId: 'r', usage: null, endTurn: null };

describe('any events', () => {
  const itemId = fc.constantFrom('a', 'b', 'message_0');
  const anyEvent = fc.oneof(
    fc.record({ type: fc.constant('created' as const), responseId: anyText }),
    anyItem.map((item) => ({ type: 'item.done' as const, item })),
    fc
      .tuple(anyItem, itemId)
      .map(([{ type }, id]): ModelEvent => ({ type: 'item.started' as const, item: { type, id } })),
    fc
      .tuple(anyItem, itemId)
      .map(([item, id]): ModelEvent => ({ type: 'item.done' as const, item: { ...item, id } as Item })),
    fc.record({ type: fc.constantFrom('text.delta' as const, 'input.delta' as const), itemId, delta: anyText }),
    fc.record({
      type: fc.constant('reasoning.delta' as const),
      itemId,
      kind: fc.constantFrom('summary' as const, 'raw' as const),
      delta: anyText,
    }),
    fc.record({ type: fc.constant('reasoning.section' as const), itemId }),
  );

  test('yield frames that are numbered and balanced and hold every item', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1 }), (events) => {
        const frames = encode([...events, end]);
        const data = dataOf(frames);
        expect(data.map((one) => one.sequence_number)).toEqual(data.map((_, n) => n));
        expect(frames.map((frame) => frame.event)).toEqual(data.map((one) => one.type));
        const of = (type: string) => data.filter((one) => one.type === type);
        const added = of('response.output_item.added');
        expect(added.map((one) => one.output_index)).toEqual(added.map((_, n) => n));
        const done = of('response.output_item.done');
        expect(done).toHaveLength(events.filter((event) => event.type === 'item.done').length);
        for (const { output_index, item } of done) {
          expect(added[output_index].item).toMatchObject({ id: item.id, type: item.type });
        }
        const inOrder = done.sort((a, b) => a.output_index - b.output_index).map((one) => one.item);
        expect(data.at(-1).response.output).toEqual(inOrder);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the frames of a response', () => {
  const framesOf = (events: readonly ModelEvent[]) => dataOf(encode(events));
  const types = (events: readonly ModelEvent[]) => framesOf(events).map((data) => data.type.replace('response.', ''));

  test('an item without earlier events gets all of its frames', () => {
    const item: Item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
    const part = { type: 'output_text', text: 'hi', annotations: [], logprobs: [] };
    const place = { item_id: 'message_0', output_index: 0, content_index: 0 };
    const done = { ...item, status: 'completed', content: [part], id: 'message_0' };
    const response = {
      id: 'r',
      object: 'response',
      created_at: 1700000000,
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      model: 'm',
      output: [],
      usage: null,
    };
    const begun = { id: 'message_0', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    const expected = [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      { type: 'response.output_item.added', output_index: 0, item: begun },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...place, delta: 'hi', logprobs: [] },
      { type: 'response.output_text.done', ...place, text: 'hi', logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [done] } },
    ];
    expect(framesOf([{ type: 'created', responseId: 'r' }, { type: 'item.done', item }, end])).toEqual(
      expected.map((data, sequence_number) => ({ ...data, sequence_number })),
    );
  });

  test('a function call streams its arguments, and the rest comes before it is done', () => {
    const item: Item = { type: 'function_call', id: 'i', name: 'f', arguments: '{"a":1}', call_id: 'c' };
    const data = framesOf([
      { type: 'item.started', item: { type: 'function_call', id: 'i', name: 'f', callId: 'c' } },
      { type: 'input.delta', itemId: 'i', delta: '{"a"' },
      { type: 'item.done', item },
    ]).slice(2);
    const place = { item_id: 'i', output_index: 0 };
    expect(data).toMatchObject([
      { item: { id: 'i', type: 'function_call', status: 'in_progress', arguments: '', call_id: 'c', name: 'f' } },
      { type: 'response.function_call_arguments.delta', ...place, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', ...place, delta: ':1}' },
      { type: 'response.function_call_arguments.done', ...place, arguments: '{"a":1}' },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    ]);
    expect(data).toHaveLength(5);
  });

  test('a custom call streams its input, even if it was not announced', () => {
    const item: Item = { type: 'custom_tool_call', id: 'i', name: 'f', input: 'abc', call_id: 'c' };
    const data = framesOf([
      { type: 'input.delta', itemId: 'i', delta: 'ab' },
      { type: 'item.done', item },
    ]).slice(2);
    expect(data).toMatchObject([
      { item: { id: 'i', type: 'custom_tool_call', status: 'in_progress', input: '', call_id: 'c', name: 'f' } },
      { type: 'response.custom_tool_call_input.delta', delta: 'abc' },
      { type: 'response.custom_tool_call_input.done', input: 'abc' },
      { type: 'response.output_item.done', item: { ...item, status: 'completed' } },
    ]);
  });

  test('reasoning has a part for each section, and its raw text', () => {
    const item: Item = {
      type: 'reasoning',
      id: 'i',
      summary: [
        { type: 'summary_text', text: 'one' },
        { type: 'summary_text', text: 'two' },
      ],
      content: [{ type: 'reasoning_text', text: 'raw' }],
      encrypted_content: null,
    };
    const data = framesOf([
      { type: 'reasoning.delta', itemId: 'i', kind: 'summary', delta: 'one' },
      { type: 'reasoning.section', itemId: 'i' },
      { type: 'reasoning.delta', itemId: 'i', kind: 'raw', delta: 'r' },
      { type: 'reasoning.delta', itemId: 'i', kind: 'summary', delta: 'tw' },
      { type: 'item.done', item },
    ]).slice(2);
    expect(data.map(({ sequence_number, ...one }) => one)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item: { id: 'i', type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...at(0), part: { type: 'summary_text', text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...at(0), delta: 'one' },
      { type: 'response.reasoning_summary_text.done', ...at(0), text: 'one' },
      { type: 'response.reasoning_summary_part.done', ...at(0), part: { type: 'summary_text', text: 'one' } },
      { type: 'response.reasoning_summary_part.added', ...at(1), part: { type: 'summary_text', text: '' } },
      { type: 'response.content_part.added', ...raw(), part: { type: 'reasoning_text', text: '' } },
      { type: 'response.reasoning_text.delta', ...raw(), delta: 'r' },
      { type: 'response.reasoning_summary_text.delta', ...at(1), delta: 'tw' },
      { type: 'response.reasoning_summary_text.delta', ...at(1), delta: 'o' },
      { type: 'response.reasoning_summary_text.done', ...at(1), text: 'two' },
      { type: 'response.reasoning_summary_part.done', ...at(1), part: { type: 'summary_text', text: 'two' } },
      { type: 'response.reasoning_text.delta', ...raw(), delta: 'aw' },
      { type: 'response.reasoning_text.done', ...raw(), text: 'raw' },
      { type: 'response.content_part.done', ...raw(), part: { type: 'reasoning_text', text: 'raw' } },
      { type: 'response.output_item.done', output_index: 0, item },
    ]);
  });

  const at = (summary_index: number) => ({ item_id: 'i', output_index: 0, summary_index });
  const raw = () => ({ item_id: 'i', output_index: 0, content_index: 0 });

  test('a refusal that comes whole has the frames of a refusal', () => {
    const item: Item = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] };
    expect(types([{ type: 'item.done', item }, end]).slice(3)).toEqual([
      'content_part.added',
      'refusal.delta',
      'refusal.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  test('an item of a tool that the server runs has a beginning and an end', () => {
    const item: Item = { type: 'web_search_call', id: 'i', status: 'completed', action: {} };
    expect(framesOf([{ type: 'item.done', item }]).slice(2)).toMatchObject([
      { type: 'response.output_item.added', item: { id: 'i', type: 'web_search_call', status: 'in_progress' } },
      { type: 'response.output_item.done', item },
    ]);
  });

  test('deltas that differ from the final text are not continued', () => {
    const item: Item = {
      type: 'message',
      id: 'i',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hello' }],
    };
    const data = framesOf([
      { type: 'text.delta', itemId: 'i', delta: 'ha' },
      { type: 'item.done', item },
    ]);
    expect(data.filter((one) => one.type === 'response.output_text.delta').map((one) => one.delta)).toEqual(['ha']);
    expect(data.find((one) => one.type === 'response.output_text.done')).toMatchObject({ text: 'hello' });
  });

  test('a part that the done item lacks is still closed', () => {
    const events: ModelEvent[] = [
      { type: 'text.delta', itemId: 'i', delta: 'hi' },
      { type: 'item.done', item: { type: 'message', id: 'i', role: 'assistant', content: [] } },
      end,
    ];
    expect(types(events).slice(3)).toEqual([
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  test('a done item without an id gets the announced id', () => {
    const call: Item = { type: 'function_call', name: 'f', arguments: '', call_id: 'c2' };
    const data = framesOf([
      { type: 'item.started', item: { type: 'function_call', id: 'a', callId: 'c1' } },
      { type: 'item.started', item: { type: 'function_call', id: 'b', callId: 'c2' } },
      { type: 'item.done', item: call },
    ]);
    expect(data.at(-1)).toMatchObject({ output_index: 1, item: { ...call, id: 'b' } });
  });

  test('usage is written in the shape of the protocol', () => {
    const usage = {
      inputTokens: 10,
      cachedInputTokens: 4,
      cacheWriteInputTokens: 3,
      outputTokens: 5,
      reasoningOutputTokens: 2,
      totalTokens: 15,
    };
    const [last] = framesOf([{ type: 'completed', responseId: 'r', usage, endTurn: true }]).slice(-1);
    expect(last.response).toMatchObject({
      id: 'r',
      end_turn: true,
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 15,
      },
    });
  });

  test('only a message at the end of a response that is not complete was cut off', () => {
    const content = [{ type: 'output_text' as const, text: 'hi' }];
    const done = (id: string): ModelEvent => ({
      type: 'item.done',
      item: { type: 'message', id, role: 'assistant', content },
    });
    const ending: ModelEvent = { type: 'incomplete', responseId: 'r', reason: 'length', usage: null };
    const data = framesOf([done('a'), done('b'), ending]);
    const items = [
      { id: 'a', status: 'completed' },
      { id: 'b', status: 'incomplete' },
    ];
    const closed = data.filter(({ type }) => type === 'response.output_item.done');
    expect(closed.map(({ item }) => item)).toMatchObject(items);
    expect(data.at(-1)).toMatchObject({ type: 'response.incomplete', response: { output: items } });
    expect(framesOf([done('a'), end]).at(-1)).toMatchObject({ response: { output: [{ status: 'completed' }] } });
  });

  test('an incomplete and a failed response say why', () => {
    const [incomplete] = framesOf([{ type: 'incomplete', responseId: 'r', reason: 'length', usage: null }]).slice(-1);
    expect(incomplete).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'length' } },
    });
    const [failed] = framesOf([{ type: 'failed', code: 'c', message: 'm' }]).slice(-1);
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'c', message: 'm' }, id: 'resp_1700000000' },
    });
  });

  test('nothing follows the end', () => {
    expect(encode([end, { type: 'text.delta', itemId: 'i', delta: 'late' }, end])).toEqual(encode([end]));
  });
});

describe('raw reasoning that is sealed', () => {
  const sealed = (events: readonly ModelEvent[]) => {
    const encoder = encodeStream({ model: 'm', createdAt: 0, sealReasoning: true });
    return dataOf(events.flatMap((event) => encoder.push(event)));
  };
  const extra = new Map([['c', { signature: 's' }]]);
  const thought: Item = {
    type: 'reasoning',
    id: 'i',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'I look.' }],
    encrypted_content: encodeOpaqueState({ details: [1], extra }),
  };

  test('is sent as a summary of one part', () => {
    const data = sealed([
      { type: 'item.started', item: { type: 'reasoning', id: 'i' } },
      { type: 'reasoning.delta', itemId: 'i', kind: 'raw', delta: 'I ' },
      { type: 'reasoning.delta', itemId: 'i', kind: 'raw', delta: 'look.' },
      { type: 'item.done', item: thought },
    ]).slice(3);
    const place = { item_id: 'i', output_index: 0, summary_index: 0 };
    const part = { type: 'summary_text', text: 'I look.' };
    const item = {
      type: 'reasoning',
      id: 'i',
      summary: [part],
      encrypted_content: encodeOpaqueState({ text: 'I look.', details: [1], extra }),
    };
    expect(data.map(({ sequence_number, ...one }) => one)).toEqual([
      { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...place, delta: 'I ' },
      { type: 'response.reasoning_summary_text.delta', ...place, delta: 'look.' },
      { type: 'response.reasoning_summary_text.done', ...place, text: 'I look.' },
      { type: 'response.reasoning_summary_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item },
    ]);
  });

  test('keeps opaque state without a text', () => {
    const carried = encodeOpaqueState({ details: [], extra });
    const [done] = sealed([
      { type: 'item.done', item: { ...thought, content: null, encrypted_content: carried } },
    ]).slice(-1);
    expect(done.item).toMatchObject({
      summary: [],
      encrypted_content: encodeOpaqueState({ text: '', details: [], extra }),
    });
  });

  test('is unchanged if its server encrypted it, or if there is nothing to seal', () => {
    const summary = [{ type: 'summary_text' as const, text: 's' }];
    const foreign: Item = { type: 'reasoning', id: 'i', summary, content: null, encrypted_content: 'gAAAAABo' };
    const silent: Item = { ...foreign, encrypted_content: null };
    for (const item of [foreign, silent])
      expect(sealed([{ type: 'item.done', item }])).toEqual(framesOf([{ type: 'item.done', item }]));
    function framesOf(events: readonly ModelEvent[]) {
      const encoder = encodeStream({ model: 'm', createdAt: 0 });
      return dataOf(events.flatMap((event) => encoder.push(event)));
    }
  });
});

test('a call in a namespace is announced with the namespace', () => {
  const call = { name: 'f', namespace: 'docs' };
  for (const type of ['function_call', 'custom_tool_call'] as const) {
    const item = {
      type,
      id: 'i',
      call_id: 'c',
      ...call,
      ...(type === 'function_call' ? { arguments: '{}' } : { input: '' }),
    } as Item;
    const started: ModelEvent = { type: 'item.started', item: { type, id: 'i', callId: 'c', ...call } };
    const frames = dataOf(encode([started, { type: 'item.done', item }]));
    expect(frames[2]).toMatchObject({ type: 'response.output_item.added', item: { type, ...call } });
    expect(frames.at(-1)).toMatchObject({ type: 'response.output_item.done', item: { type, ...call } });
    expect(dataOf(encode([{ type: 'item.done', item }]))[2]).toEqual(frames[2]);
  }
});

test('failures have the codes that clients look for', () => {
  const code = (event: ModelEvent) => dataOf(encode([event])).at(-1).response.error.code;
  expect(code({ type: 'failed', code: '429', message: 'Try again in 2s.' })).toBe('rate_limit_exceeded');
  expect(code({ type: 'failed', code: null, message: 'm' })).toBe('server_error');
});
