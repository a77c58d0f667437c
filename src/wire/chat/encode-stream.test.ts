import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { NO_USAGE } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';
import { anyItem as anyCanonicalItem, anyText } from '../responses/fixtures/arbitrary-items.ts';
import { anyResponse as anyOtherResponse } from '../responses/fixtures/arbitrary-response.ts';
import { encodeStream } from './encode-stream.ts';

function encode(events: readonly ModelEvent[], includeUsage = true): Frame[] {
  const encoder = encodeStream({ model: 'm', createdAt: 1700000000, includeUsage });
  return events.flatMap((event) => encoder.push(event));
}

const dataOf = (frames: readonly Frame[]) => frames.map(({ data }) => (data === '[DONE]' ? data : JSON.parse(data)));

/** Returns the deltas and finish reasons of all chunks: nothing else differs between chunks. */
const deltasOf = (events: readonly ModelEvent[]) =>
  dataOf(encode(events)).map((chunk) => {
    const choice = chunk.choices?.[0];
    return choice === undefined ? chunk : (choice.finish_reason ?? choice.delta);
  });

const end: ModelEvent = { type: 'completed', responseId: 'r', usage: null, endTurn: null };
const role = { role: 'assistant', content: '' };

describe('responses of other wires', () => {
  const callsIn = (items: readonly Item[]) =>
    items.flatMap((item) => (item.type.endsWith('_call') && 'call_id' in item ? [item.call_id] : []));
  const doneItems = (events: readonly ModelEvent[]) =>
    events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

  test('keep their calls and their texts', () => {
    fc.assert(
      fc.property(anyOtherResponse, (events) => {
        const items = doneItems(events).filter((item) => item.type !== 'tool_search_call');
        const data = dataOf(encode(events));
        const deltas = data.flatMap((chunk) => chunk.choices?.[0]?.delta ?? []);
        const heads = deltas.flatMap((delta) => delta.tool_calls ?? []).filter((call) => call.id !== undefined);
        expect(heads.map((call) => call.index)).toEqual(heads.map((_, index) => index));
        expect(heads.map((call) => call.id).sort()).toEqual(callsIn(items).sort());
        for (const item of items) {
          if (item.type !== 'function_call') continue;
          const { index } = heads.find((call) => call.id === item.call_id) ?? {};
          if (heads.filter((call) => call.id === item.call_id).length > 1) continue;
          const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []).filter((call) => call.index === index);
          expect(pieces.map((call) => call.function.arguments).join('')).toBe(item.arguments);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('never throw, begin with the role and end once, for any events', () => {
    const itemId = fc.constantFrom('a', 'b');
    const anyEvent = fc.oneof(
      fc.record({ type: fc.constant('created' as const), responseId: anyText }),
      fc.tuple(anyCanonicalItem, itemId).map(([item, id]) => ({ type: 'item.done' as const, item: { ...item, id } })),
      anyCanonicalItem.map((item) => ({ type: 'item.done' as const, item })),
      fc
        .tuple(anyCanonicalItem, itemId)
        .map(([{ type }, id]) => ({ type: 'item.started' as const, item: { type, id, name: 'n', callId: id } })),
      fc.record({ type: fc.constantFrom('text.delta' as const, 'input.delta' as const), itemId, delta: anyText }),
      fc.record({
        type: fc.constant('reasoning.delta' as const),
        kind: fc.constantFrom('summary' as const, 'raw' as const),
        itemId,
        delta: anyText,
      }),
      fc.record({ type: fc.constant('reasoning.section' as const), itemId }),
      fc.constantFrom<ModelEvent>(end, { type: 'failed', code: null, message: 'm' }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        const data = dataOf(encode([...events, end]));
        const endings = data.filter((chunk) => chunk === '[DONE]' || chunk.error !== undefined);
        expect(endings).toEqual(data.slice(-1));
        if (data.length > 1) expect(data[0].choices[0].delta).toEqual(role);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the chunks of a response', () => {
  test('begin with the role and end with the reason, the usage and the mark', () => {
    const usage = {
      inputTokens: 10,
      cachedInputTokens: 4,
      cacheWriteInputTokens: 3,
      outputTokens: 5,
      reasoningOutputTokens: 2,
      totalTokens: 15,
    };
    const chunk = { id: 'r', object: 'chat.completion.chunk', created: 1700000000, model: 'm' };
    const events: ModelEvent[] = [
      { type: 'created', responseId: 'r' },
      { type: 'text.delta', itemId: 'i', delta: 'hi' },
      { type: 'item.done', item: message('i', 'hi') },
      { ...end, usage },
    ];
    expect(dataOf(encode(events))).toEqual([
      { ...chunk, choices: [{ index: 0, delta: role, logprobs: null, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: { content: 'hi' }, logprobs: null, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] },
      {
        ...chunk,
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 5,
          total_tokens: 15,
          prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
      '[DONE]',
    ]);
  });

  test('the usage is sent only if asked for', () => {
    const used = [{ ...end, usage: NO_USAGE }];
    expect(dataOf(encode(used, false)).filter((chunk) => chunk.usage !== undefined)).toEqual([]);
    expect(dataOf(encode(used, true)).filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
    expect(dataOf(encode([end], true)).filter((chunk) => chunk.usage !== undefined)).toEqual([]);
  });

  test('a call in a namespace has a flat name, announced or not', () => {
    const item: Item = { type: 'function_call', id: 'a', namespace: 'docs', name: 'f', arguments: '{}', call_id: 'c' };
    const started = { type: 'function_call' as const, id: 'a', name: 'f', namespace: 'docs', callId: 'c' };
    const done: ModelEvent = { type: 'item.done', item };
    const head = {
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'docs__f', arguments: '' } }],
    };
    expect(deltasOf([done])[1]).toEqual(head);
    expect(deltasOf([{ type: 'item.started', item: started }, done])).toEqual(deltasOf([done]));
  });

  test('calls are numbered, and missing parts of their input come before the end', () => {
    const a: Item = { type: 'function_call', id: 'a', name: 'f', arguments: '{"a":1}', call_id: 'c1' };
    const b: Item = { type: 'custom_tool_call', id: 'b', name: 'g', input: 'text', call_id: 'c2' };
    expect(
      deltasOf([
        { type: 'item.started', item: { type: 'function_call', id: 'a', name: 'f', callId: 'c1' } },
        { type: 'item.started', item: { type: 'custom_tool_call', id: 'b', name: 'g', callId: 'c2' } },
        { type: 'input.delta', itemId: 'b', delta: 'te' },
        { type: 'input.delta', itemId: 'a', delta: '{"a"' },
        { type: 'item.done', item: a },
        { type: 'item.done', item: b },
        end,
      ]),
    ).toEqual([
      role,
      { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 1, id: 'c2', type: 'custom', custom: { name: 'g', input: '' } }] },
      { tool_calls: [{ index: 1, custom: { input: 'te' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      { tool_calls: [{ index: 1, custom: { input: 'xt' } }] },
      'tool_calls',
      '[DONE]',
    ]);
  });

  test('a call that was not announced comes whole, and a local shell call is a call of shell', () => {
    const item: Item = {
      type: 'local_shell_call',
      call_id: 'c',
      action: { type: 'exec', command: ['ls'], working_directory: '/w', timeout_ms: 5 },
    };
    expect(deltasOf([{ type: 'input.delta', itemId: 'x', delta: 'lost' }, { type: 'item.done', item }, end])).toEqual([
      role,
      { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'shell', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"command":["ls"],"workdir":"/w","timeout_ms":5}' } }] },
      'tool_calls',
      '[DONE]',
    ]);
  });

  test('messages and sections are separated by a blank line', () => {
    const thought: Item = {
      type: 'reasoning',
      id: 't',
      summary: ['one', 'two'].map((text) => ({ type: 'summary_text', text })),
      content: null,
      encrypted_content: 'sealed',
    };
    expect(
      deltasOf([
        { type: 'reasoning.section', itemId: 't' },
        { type: 'reasoning.delta', itemId: 't', kind: 'summary', delta: 'one' },
        { type: 'reasoning.section', itemId: 't' },
        { type: 'reasoning.delta', itemId: 't', kind: 'summary', delta: 'tw' },
        { type: 'reasoning.delta', itemId: 't', kind: 'raw', delta: 'the same at length' },
        { type: 'item.done', item: thought },
        { type: 'item.done', item: message('a', 'first') },
        { type: 'text.delta', itemId: 'b', delta: 'sec' },
        { type: 'item.done', item: message('b', 'second') },
      ]),
    ).toEqual([
      role,
      ...['one', '\n\ntw', 'o'].map((reasoning_content) => ({ reasoning_content })),
      ...['first', '\n\nsec', 'ond'].map((content) => ({ content })),
    ]);
  });

  test('a section whose text comes with the whole item is separated once', () => {
    const summary = ['one', 'two'].map((text) => ({ type: 'summary_text' as const, text }));
    const events: ModelEvent[] = [
      { type: 'reasoning.delta', itemId: 't', kind: 'summary', delta: 'one' },
      { type: 'reasoning.section', itemId: 't' },
      { type: 'item.done', item: { type: 'reasoning', id: 't', summary, content: null, encrypted_content: null } },
    ];
    expect(deltasOf(events)).toEqual([role, { reasoning_content: 'one' }, { reasoning_content: '\n\ntwo' }]);
  });

  test('reasoning that comes whole is sent as its raw text, or else its summary', () => {
    const thought = (content: 'raw' | null): Item => ({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'sum' }],
      content: content && [{ type: 'reasoning_text', text: content }],
      encrypted_content: null,
    });
    expect(deltasOf([{ type: 'item.done', item: thought('raw') }])).toEqual([role, { reasoning_content: 'raw' }]);
    expect(deltasOf([{ type: 'item.done', item: thought(null) }])).toEqual([role, { reasoning_content: 'sum' }]);
  });

  test('a refusal that comes whole is sent as a refusal', () => {
    const item: Item = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] };
    expect(deltasOf([{ type: 'item.done', item }])).toEqual([role, { refusal: 'no' }]);
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['something else', 'length'],
  ])('a response that is incomplete for %s stops for %s', (reason, finish) => {
    expect(deltasOf([{ type: 'incomplete', responseId: 'r', reason, usage: null }])).toEqual([role, finish, '[DONE]']);
  });

  test('a failure is an error frame, and nothing follows it', () => {
    expect(deltasOf([{ type: 'failed', code: 'c', message: 'm' }, end])).toEqual([
      { error: { message: 'm', type: 'c', code: 'c', param: null } },
    ]);
    expect(deltasOf([{ type: 'failed', code: null, message: 'm' }])).toEqual([
      { error: { message: 'm', type: 'server_error', code: null, param: null } },
    ]);
  });

  test('a response without a beginning gets an id made of its time', () => {
    expect(dataOf(encode([{ type: 'text.delta', itemId: 'i', delta: 'x' }]))[0].id).toBe('chatcmpl-1700000000');
  });
});

function message(id: string, text: string): Item {
  return { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] };
}

describe('a call', () => {
  const call: Item = { type: 'function_call', id: 'i', call_id: 'c', name: 'f', arguments: '{"a":1}' };
  const started: ModelEvent = { type: 'item.started', item: { type: 'function_call', id: 'i', name: 'f', callId: '' } };
  const done: ModelEvent = { type: 'item.done', item: call };

  test('that has no id yet is sent when it is complete', () => {
    expect(deltasOf([started, { type: 'input.delta', itemId: 'i', delta: '{"a"' }, done, end])).toEqual([
      role,
      { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
      'tool_calls',
      '[DONE]',
    ]);
  });

  test('whose final arguments differ from the sent ones must not run', () => {
    const announced: ModelEvent = { ...started, item: { ...started.item, callId: 'c' } };
    const chunks = deltasOf([announced, { type: 'input.delta', itemId: 'i', delta: '{"b":2}' }, done, end]);
    expect(chunks.at(-1)).toMatchObject({ error: { code: 'invalid_response' } });
    expect(chunks).not.toContain('tool_calls');
  });
});
