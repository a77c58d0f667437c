import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { anyResponse as anyChatResponse } from '../chat/fixtures/arbitrary-response.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { anyItem, anyText } from '../responses/fixtures/arbitrary-items.ts';
import { anyResponse as anyOtherResponse } from '../responses/fixtures/arbitrary-response.ts';
import { encodeStream } from './encode-stream.ts';
import { readStrictly } from './fixtures/strict-client.ts';
import { spokenText } from './message-fields.ts';
import { PLAIN } from './reasoning-blocks.ts';

const encode = (events: readonly ModelEvent[]) => {
  const encoder = encodeStream({ model: 'm', createdAt: 1700000000 });
  return events.flatMap((event) => encoder.push(event));
};
const seen = (...events: ModelEvent[]) => readStrictly(encode([created, ...events]));

const created: ModelEvent = { type: 'created', responseId: 'msg_1' };
const end: ModelEvent = { type: 'completed', responseId: 'msg_1', usage: null, endTurn: null };
const says = (id: string, delta: string): ModelEvent => ({ type: 'text.delta', itemId: id, delta });
const thinks = (id: string, delta: string, kind: 'raw' | 'summary' = 'raw'): ModelEvent => ({
  type: 'reasoning.delta',
  itemId: id,
  kind,
  delta,
});
const done = (item: Item): ModelEvent => ({ type: 'item.done', item });
const message = (id: string, text: string): Item => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const thought = (id: string, text: string, encrypted_content: string | null = null): Item => ({
  type: 'reasoning',
  id,
  summary: [],
  content: text === '' ? null : [{ type: 'reasoning_text', text }],
  encrypted_content,
});
const call = (id: string, args: string): Item => ({
  type: 'function_call',
  id,
  name: 'f',
  arguments: args,
  call_id: `call_${id}`,
});
const begins = (id: string): ModelEvent => ({
  type: 'item.started',
  item: { type: 'function_call', id, name: 'f', callId: `call_${id}` },
});
const input = (id: string, delta: string): ModelEvent => ({ type: 'input.delta', itemId: id, delta });
const callBlock = (id: string, partial_json: string) => ({
  type: 'tool_use',
  id: `call_${id}`,
  name: 'f',
  input: {},
  partial_json,
});

describe('the frames of a response', () => {
  test('are those of the protocol, in its order', () => {
    const usage = { ...NO_USAGE, inputTokens: 10, cachedInputTokens: 4, cacheWriteInputTokens: 3, outputTokens: 5 };
    const frames = encode([
      created,
      says('a', 'Hé'),
      done(message('a', 'Hé')),
      begins('b'),
      input('b', '{"x":1}'),
      done(call('b', '{"x":1}')),
      { ...end, usage },
    ]);
    expect(frames.every(({ event, data }) => JSON.parse(data).type === event)).toBe(true);
    const counts = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    expect(frames.map(({ data }) => JSON.parse(data))).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, ...counts, output_tokens: 0 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hé' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'call_b', name: 'f', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"x":1}' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 3, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 },
      },
      { type: 'message_stop' },
    ]);
  });

  test.each<[Partial<ModelEvent>, string]>([
    [{ type: 'completed', endTurn: null }, 'end_turn'],
    [{ type: 'completed', endTurn: true }, 'end_turn'],
    [{ type: 'completed', endTurn: false }, 'pause_turn'],
    [{ type: 'incomplete', reason: 'max_output_tokens' }, 'max_tokens'],
    [{ type: 'incomplete', reason: 'unknown' }, 'max_tokens'],
    [{ type: 'incomplete', reason: 'content_filter' }, 'refusal'],
  ])('end after %j with the stop reason %s', (ending, reason) => {
    expect(seen({ responseId: 'msg_1', usage: null, ...ending } as ModelEvent).stopReason).toBe(reason);
  });

  test('end with the calls as their reason', () => {
    expect(seen(done(call('a', '{}')), { ...end, endTurn: false } as ModelEvent).stopReason).toBe('tool_use');
  });

  test('after a failure are the error and nothing else, and no block is closed', () => {
    const failed: ModelEvent = { type: 'failed', code: 'server_is_overloaded', message: 'Busy.' };
    const frames = encode([created, says('a', 'half'), failed, end]);
    expect(frames.slice(3).map(({ event, data }) => ({ event, ...JSON.parse(data) }))).toEqual([
      {
        event: 'error',
        type: 'error',
        error: { type: 'overloaded_error', message: 'Busy.', details: { error_code: 'server_is_overloaded' } },
      },
    ]);
    expect(encode([failed, end])).toHaveLength(1);
  });

  test('without a beginning have an id made of the time', () => {
    expect(readStrictly(encode([says('a', 'x'), end])).id).toBe('msg_1700000000');
  });
});

describe('blocks', () => {
  test('of a text that comes whole, or is longer than its pieces, are complete', () => {
    expect(seen(done(message('a', 'whole')), end).content).toEqual([{ type: 'text', text: 'whole' }]);
    expect(seen(says('a', 'wh'), done(message('a', 'whole')), end).content).toEqual([{ type: 'text', text: 'whole' }]);
  });

  test('include a refusal as a text', () => {
    const refused: Item = { ...message('a', ''), content: [{ type: 'refusal', refusal: 'No.' }] } as Item;
    const events: ModelEvent[] = [{ type: 'text.delta', itemId: 'a', delta: 'No.', refusal: true }, done(refused), end];
    expect(seen(...events).content).toEqual([{ type: 'text', text: 'No.' }]);
  });

  test('of items that overlap follow each other, and a call keeps its pieces together', () => {
    const events = [
      thinks('r', 'hm'),
      says('m', 'Let me '),
      begins('a'),
      input('a', '{"x"'),
      begins('b'),
      input('b', '{"y":2}'),
      says('m', 'see.'),
      input('a', ':1}'),
      done(thought('r', 'hm')),
      done(message('m', 'Let me see.')),
      done(call('a', '{"x":1}')),
      done(call('b', '{"y":2}')),
      end,
    ];
    expect(seen(...events).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: PLAIN },
      { type: 'text', text: 'Let me ' },
      callBlock('a', '{"x":1}'),
      { type: 'text', text: 'see.' },
      callBlock('b', '{"y":2}'),
    ]);
  });

  test('of custom calls and calls of the local shell are calls of functions', () => {
    const custom: Item = { type: 'custom_tool_call', id: 'c', call_id: 'c1', name: 'patch', input: '*** "x"' };
    const shell: Item = { type: 'local_shell_call', id: 's', call_id: 'c2', action: { type: 'exec', command: ['ls'] } };
    const started: ModelEvent = { type: 'item.started', item: { type: 'custom_tool_call', id: 'c', name: 'patch' } };
    const { content } = seen(started, input('c', '***'), done(custom), done(shell), end);
    expect(content).toEqual([
      { type: 'tool_use', id: 'c1', name: 'patch', input: {}, partial_json: '{"input":"*** \\"x\\""}' },
      { type: 'tool_use', id: 'c2', name: 'shell', input: {}, partial_json: '{"command":["ls"]}' },
    ]);
  });

  test('of a call whose arguments were corrected end the response', () => {
    const { error } = seen(begins('a'), input('a', '{"x":1'), done(call('a', '{"y":2}')), end);
    expect(error).toMatchObject({ type: 'api_error', message: expect.stringContaining('corrected') });
  });

  test('of tools that the server ran are left out', () => {
    expect(seen(done({ type: 'web_search_call', id: 'ws', status: 'completed' }), end).content).toEqual([]);
  });
});

describe('reasoning', () => {
  test('has the signature of its server', () => {
    const signed = encodeOpaqueState({ signature: 'EqQB' });
    expect(seen(thinks('r', 'hm'), done(thought('r', 'hm', signed)), end).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
    ]);
    expect(seen(done(thought('r', '', encodeOpaqueState({ redacted: 'Eq' }))), end).content).toEqual([
      { type: 'redacted_thinking', data: 'Eq' },
    ]);
    // The text was not shown, and the signature still belongs to it.
    expect(seen(done(thought('r', '', signed)), end).content).toEqual([
      { type: 'thinking', thinking: '', signature: 'EqQB' },
    ]);
  });

  test('carries the state of another server', () => {
    const details = encodeOpaqueState({ details: [{ id: 1 }] });
    expect(seen(done(thought('r', 'hm', details)), end).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: details },
    ]);
    const encrypted = encodeOpaqueState({ encrypted: 'gAAA' });
    expect(seen(done(thought('r', 'hm', 'gAAA')), end).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: encrypted },
    ]);
    expect(seen(done(thought('r', '', 'gAAA')), end).content).toEqual([{ type: 'redacted_thinking', data: encrypted }]);
    expect(seen(done(thought('r', '')), end).content).toEqual([]);
  });

  test('carries state that comes after its block was closed', () => {
    const details = encodeOpaqueState({ details: [{ id: 1 }] });
    const events = [
      thinks('r', 'hm'),
      says('m', 'Hi'),
      done(thought('r', 'hm', details)),
      done(message('m', 'Hi')),
      end,
    ];
    expect(seen(...events).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: PLAIN },
      { type: 'text', text: 'Hi' },
      { type: 'redacted_thinking', data: details },
    ]);
  });

  test('is its raw text or its summary, with blank lines between sections', () => {
    const summary: Item = {
      type: 'reasoning',
      id: 'r',
      summary: ['one', 'two'].map((text) => ({ type: 'summary_text', text })),
      content: null,
      encrypted_content: null,
    };
    const section: ModelEvent = { type: 'reasoning.section', itemId: 'r' };
    const block = { type: 'thinking', thinking: 'one\n\ntwo', signature: PLAIN };
    expect(seen(done(summary), end).content).toEqual([block]);
    const pieces = [section, thinks('r', 'one', 'summary'), section, thinks('r', 'two', 'summary'), done(summary), end];
    expect(seen(...pieces).content).toEqual([block]);
    expect(seen(thinks('r', 'raw'), thinks('r', 'short', 'summary'), done(thought('r', 'raw')), end).content).toEqual([
      { type: 'thinking', thinking: 'raw', signature: PLAIN },
    ]);
  });
});

describe('for any response of another wire', () => {
  const callsIn = (items: readonly Item[]) =>
    items.flatMap((item) => (item.type.endsWith('_call') && 'call_id' in item ? [item.call_id] : []));
  const doneItems = (events: readonly ModelEvent[]) =>
    events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

  test('strict clients see every text and every call', () => {
    fc.assert(
      fc.property(fc.oneof(anyChatResponse, anyOtherResponse), (events) => {
        const { content, error } = readStrictly(encode(events));
        if (error !== undefined) return;
        const items = doneItems(events).filter(({ type }) => type !== 'tool_search_call');
        const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
        for (const id of callsIn(items)) expect(calls).toContain(id);
        const said = content.map(({ text }) => text ?? '').join('');
        const texts = items.flatMap((item) => (item.type === 'message' ? [spokenText(item)] : []));
        // Texts that overlap take turns.
        expect(said.length).toBeGreaterThanOrEqual(texts.join('').length);
        if (texts.length === 1) expect(said).toContain(texts[0]);
      }),
      { numRuns: runs(500) },
    );
  });

  test('no event breaks the order of frames', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const anyEvent = fc.oneof(
      fc.tuple(id, anyText).map(([one, text]) => says(one, text)),
      fc
        .tuple(id, anyText, fc.constantFrom('raw' as const, 'summary' as const))
        .map(([one, text, kind]) => thinks(one, text, kind)),
      id.map((itemId): ModelEvent => ({ type: 'reasoning.section', itemId })),
      fc.tuple(id, anyText).map(([one, text]) => input(one, text)),
      id.map(begins),
      fc.tuple(fc.option(id), anyItem).map(([one, item]) => done(one === null ? item : ({ ...item, id: one } as Item))),
      fc.constant(created),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), fc.constantFrom(true, false), (events, fails) => {
        const failed: ModelEvent = { type: 'failed', code: null, message: 'x' };
        const { stopReason, error } = readStrictly(encode([...events, fails ? failed : end]));
        expect(error === undefined).toBe(stopReason !== undefined);
      }),
      { numRuns: runs(2000) },
    );
  });
});
