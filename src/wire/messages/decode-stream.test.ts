import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { Frame } from '../../base/wire.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { decodeStream } from './decode-stream.ts';
import { fixtures } from './fixtures/conformance.ts';

const frame = (event: object): Frame => ({ data: JSON.stringify(event) });

function decode(events: readonly object[], request?: Partial<ModelRequest>): readonly ModelEvent[] {
  const decoder = decodeStream(request as ModelRequest);
  return [...events.flatMap((event) => decoder.push(frame(event))), ...decoder.end()];
}

const start = (fields: object = {}) => ({ type: 'message_start', message: { id: 'm1', ...fields } });
const begin = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const close = (index: number) => ({ type: 'content_block_stop', index });
const stop = (stop_reason: string | null, fields: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason },
  ...fields,
});
const end = { type: 'message_stop' };

const text = (index: number, ...texts: string[]) => [
  begin(index, { type: 'text', text: '' }),
  ...texts.map((one) => piece(index, { type: 'text_delta', text: one })),
  close(index),
];
const call = (index: number, input: string, fields: object = {}) => [
  begin(index, { type: 'tool_use', id: `t${index}`, name: 'f', input: {}, ...fields }),
  ...(input === '' ? [] : [piece(index, { type: 'input_json_delta', partial_json: input })]),
  close(index),
];

const doneItems = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
const last = (events: readonly ModelEvent[]) => events.at(-1);
const calls = (events: readonly ModelEvent[]) =>
  doneItems(events).flatMap((item) => (item.type === 'function_call' ? [[item.call_id, item.arguments]] : []));

describe('text', () => {
  test('is a message, and blocks in a row are one', () => {
    const events = decode([start(), { type: 'ping' }, ...text(0, 'Hel', 'lo'), ...text(1, '!'), stop('end_turn'), end]);
    const id = 'msg_m1_0';
    expect(events).toEqual([
      { type: 'created', responseId: 'm1' },
      { type: 'item.started', item: { type: 'message', id } },
      { type: 'text.delta', itemId: id, delta: 'Hel' },
      { type: 'text.delta', itemId: id, delta: 'lo' },
      { type: 'text.delta', itemId: id, delta: '!' },
      {
        type: 'item.done',
        item: { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text: 'Hello!' }] },
      },
      { type: 'completed', responseId: 'm1', usage: null, endTurn: null },
    ]);
  });

  test('around another block is two messages', () => {
    const blocks = [...text(0, 'a'), ...call(1, '{}'), ...text(2, 'b')];
    const types = doneItems(decode([start(), ...blocks, stop('end_turn'), end])).map(({ type }) => type);
    expect(types).toEqual(['message', 'function_call', 'message']);
  });

  test('may begin with its block, and its citations are ignored', () => {
    const cited = piece(0, { type: 'citations_delta', citation: { type: 'char_location' } });
    const blocks = [begin(0, { type: 'text', text: 'Hi', citations: [] }), cited, close(0)];
    expect(doneItems(decode([start(), ...blocks, stop('end_turn'), end]))).toMatchObject([
      { content: [{ text: 'Hi' }] },
    ]);
  });

  test('that is known without parsing continues the message', () => {
    const decoder = decodeStream();
    decoder.push(frame(start()));
    decoder.push(frame(begin(0, { type: 'text', text: '' })));
    const running: RunningFrame = { data: 'not read', text: 'run' };
    expect(decoder.push(running)).toContainEqual({ type: 'text.delta', itemId: 'msg_m1_0', delta: 'run' });
  });
});

describe('reasoning', () => {
  const thinking = (index: number, words: string, signature: string) => [
    begin(index, { type: 'thinking', thinking: '', signature: '' }),
    ...(words === '' ? [] : [piece(index, { type: 'thinking_delta', thinking: words })]),
    piece(index, { type: 'signature_delta', signature }),
    close(index),
  ];
  const item = (n: number, words: string, sealed: object): Item => ({
    type: 'reasoning',
    id: `rs_m1_${n}`,
    summary: [],
    content: words === '' ? null : [{ type: 'reasoning_text', text: words }],
    encrypted_content: encodeOpaqueState(sealed),
  });

  test('is an item with its signature, complete with its block', () => {
    const events = decode([start(), ...thinking(0, 'hm', 'Eq=')]);
    expect(events.slice(1, -1)).toEqual([
      { type: 'item.started', item: { type: 'reasoning', id: 'rs_m1_0' } },
      { type: 'reasoning.delta', itemId: 'rs_m1_0', kind: 'raw', delta: 'hm' },
      { type: 'item.done', item: item(0, 'hm', { signature: 'Eq=' }) },
    ]);
  });

  test('may have no text, no signature, or be redacted', () => {
    const redacted = [begin(1, { type: 'redacted_thinking', data: 'EmwK' }), close(1)];
    const unsigned = [begin(2, { type: 'thinking', thinking: 'so' }), close(2)];
    const events = decode([start(), ...thinking(0, '', 'Eq='), ...redacted, ...unsigned, stop('end_turn'), end]);
    expect(doneItems(events)).toEqual([
      item(0, '', { signature: 'Eq=' }),
      item(1, '', { redacted: 'EmwK' }),
      item(2, 'so', { signature: '' }),
    ]);
  });
});

describe('calls', () => {
  test('are announced at once and complete when another block begins, or at the stop reason', () => {
    const decoder = decodeStream();
    const push = (event: object) => decoder.push(frame(event)).map(({ type }) => type);
    push(start());
    expect(call(0, '{"x":1}').map(push)).toEqual([['item.started'], ['input.delta'], []]);
    expect(push(begin(1, { type: 'tool_use', id: 't1', name: 'f', input: {} }))).toEqual(['item.done', 'item.started']);
    expect(push(close(1))).toEqual([]);
    expect(push(stop('tool_use'))).toEqual(['input.delta', 'item.done']);
    expect(push(end)).toEqual(['completed']);
  });

  test('without input, or with their input at the beginning, have arguments', () => {
    const blocks = [...call(0, ''), ...call(1, '', { input: { x: 1 } }), ...call(2, '{"y":2}', { input: { x: 1 } })];
    expect(calls(decode([start(), ...blocks, stop('tool_use'), end]))).toEqual([
      ['t0', '{}'],
      ['t1', '{"x":1}'],
      ['t2', '{"y":2}'],
    ]);
  });

  test.each(['max_tokens', 'model_context_window_exceeded', 'refusal'])(
    'that %s may have cut off are dropped, although their blocks were closed',
    (reason) => {
      const events = decode([start(), ...call(0, '{"x":1}'), ...call(1, '{}'), stop(reason), end]);
      expect(calls(events)).toEqual([['t0', '{"x":1}']]);
      expect(last(events)).toMatchObject({ type: 'incomplete' });
    },
  );

  test('that are complete get nothing more', () => {
    const late = piece(0, { type: 'input_json_delta', partial_json: '!' });
    const events = decode([start(), ...call(0, '{}'), ...call(1, '{}'), late, stop('tool_use'), end]);
    expect(JSON.stringify(events)).not.toContain('!');
  });

  test('that were not closed are complete at a stop reason of the model', () => {
    const [first, second] = call(0, '{"x":1}');
    expect(calls(decode([start(), first ?? {}, second ?? {}, stop('tool_use'), end]))).toEqual([['t0', '{"x":1}']]);
  });

  test('without a name make the response fail, and the others still count', () => {
    const events = decode([start(), ...call(0, '{}'), ...call(1, '{}', { name: '' }), stop('tool_use'), end]);
    expect(calls(events)).toEqual([['t0', '{}']]);
    expect(last(events)).toMatchObject({ type: 'failed', code: 'invalid_response' });
    const unannounced = piece(0, { type: 'input_json_delta', partial_json: '{}' });
    expect(last(decode([start(), unannounced, stop('tool_use'), end]))).toMatchObject({ code: 'invalid_response' });
  });

  test('without an id get a stable one', () => {
    const events = () => decode([start(), ...call(0, '{}', { id: undefined }), stop('tool_use'), end]);
    expect(calls(events())).toEqual([[expect.stringMatching(/^call_[0-9a-f]{28}$/), '{}']]);
    expect(calls(events())).toEqual(calls(events()));
  });

  test('are those of the tools that they stand for', () => {
    const tools = [
      { type: 'custom', name: 'patch', description: '' },
      { type: 'local_shell' },
      { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'find', parameters: {} }] },
    ] as unknown as ToolSpec[];
    const blocks = [
      ...call(0, '{"input":"***"}', { name: 'patch' }),
      ...call(1, '{"command":["ls"]}', { name: 'shell' }),
      ...call(2, '{}', { name: 'docs__find' }),
    ];
    const events = decode([start(), ...blocks, stop('tool_use'), end], { tools });
    expect(doneItems(events)).toMatchObject([
      { type: 'custom_tool_call', name: 'patch', input: '***' },
      { type: 'local_shell_call', action: { type: 'exec', command: ['ls'] } },
      { type: 'function_call', namespace: 'docs', name: 'find' },
    ]);
  });
});

describe('tools that the server runs', () => {
  const use = (index: number, name: string, input: object) => [
    begin(index, { type: 'server_tool_use', id: `s${index}`, name, input: {} }),
    piece(index, { type: 'input_json_delta', partial_json: JSON.stringify(input) }),
    close(index),
  ];
  const result = (index: number, type: string, of: number) => [
    begin(index, { type, tool_use_id: `s${of}`, content: [] }),
    close(index),
  ];

  test('are items if they search or open a page, complete with their results', () => {
    const events = decode([
      start(),
      ...use(0, 'web_search', { query: 'weather' }),
      ...result(1, 'web_search_tool_result', 0),
      ...use(2, 'web_fetch', { url: 'https://example.com/' }),
      ...result(3, 'web_fetch_tool_result', 2),
      ...use(4, 'code_execution', { code: '1' }),
      ...result(5, 'code_execution_tool_result', 4),
      ...text(6, 'Sunny.'),
      stop('end_turn'),
      end,
    ]);
    expect(doneItems(events)).toMatchObject([
      { type: 'web_search_call', id: 'ws_m1_0', status: 'completed', action: { type: 'search', query: 'weather' } },
      { type: 'web_search_call', action: { type: 'open_page', url: 'https://example.com/' } },
      { type: 'message', content: [{ text: 'Sunny.' }] },
    ]);
    expect(events.filter(({ type }) => type === 'item.started')).toHaveLength(3);
  });

  test('may leave the turn unfinished', () => {
    const events = decode([start(), ...use(0, 'web_search', { query: 'x' }), stop('pause_turn'), end]);
    expect(doneItems(events)).toMatchObject([{ type: 'web_search_call' }]);
    expect(last(events)).toMatchObject({ type: 'completed', endTurn: false });
  });

  test('may send the content of the message with its beginning', () => {
    const content = [
      { type: 'code_execution_tool_result', tool_use_id: 's0', content: {} },
      { type: 'tool_use', id: 't1', name: 'f', input: { id: 7 } },
    ];
    const events = decode([start({ content, stop_reason: 'tool_use' }), end]);
    expect(calls(events)).toEqual([['t1', '{"id":7}']]);
    expect(last(events)).toMatchObject({ type: 'completed' });
  });
});

describe('the end', () => {
  test.each([
    ['end_turn', { type: 'completed', endTurn: null }],
    ['stop_sequence', { type: 'completed', endTurn: null }],
    ['tool_use', { type: 'completed', endTurn: null }],
    ['a_new_reason', { type: 'completed', endTurn: null }],
    ['pause_turn', { type: 'completed', endTurn: false }],
    ['max_tokens', { type: 'incomplete', reason: 'max_output_tokens' }],
    ['model_context_window_exceeded', { type: 'incomplete', reason: 'max_output_tokens' }],
    ['refusal', { type: 'incomplete', reason: 'content_filter' }],
  ])('with the reason %s is %j', (reason, ending) => {
    expect(last(decode([start(), ...text(0, 'x'), stop(reason), end]))).toMatchObject(ending);
  });

  test('has the last counts of the usage, and a count that is left out stays', () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 };
    const later = { input_tokens: null, output_tokens: 9, output_tokens_details: { thinking_tokens: 5 } };
    expect(last(decode([start({ usage }), stop('end_turn', { usage: later }), end]))).toMatchObject({
      usage: {
        inputTokens: 17,
        cachedInputTokens: 4,
        cacheWriteInputTokens: 3,
        outputTokens: 9,
        reasoningOutputTokens: 5,
        totalTokens: 26,
      },
    });
  });

  test('is there when the connection ends after the stop reason, and not before', () => {
    const spoken = [start(), ...text(0, 'x')];
    expect(last(decode([...spoken, stop('end_turn')]))).toMatchObject({ type: 'completed' });
    for (const events of [[], spoken, [...spoken, stop(null)], [...spoken, stop('end_turn'), ...text(1, 'more')]]) {
      expect(last(decode(events))).toMatchObject({ type: 'failed', code: 'stream_closed' });
    }
  });

  test('of a response without any answer is a failure, and an empty answer is not', () => {
    expect(decode([end])).toMatchObject([{ type: 'failed', code: 'invalid_response' }]);
    expect(last(decode([start(), stop('end_turn'), end]))).toMatchObject({ type: 'completed' });
  });

  test('keeps a limit, whatever comes after it', () => {
    const late = [begin(1, { type: 'tool_use', id: 't1', name: 'f', input: {} })];
    const events = decode([start(), ...text(0, 'x'), stop('max_tokens'), ...late, end]);
    expect(last(events)).toMatchObject({ type: 'incomplete' });
    expect(calls(events)).toEqual([]);
  });
});

describe('a failure', () => {
  test.each([
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded_error', 'Overloaded'],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'Slow' } }, 'rate_limit_exceeded', 'Slow'],
    [{ error: { message: 'Bad', code: 500 } }, '500', 'Bad'],
    [{ type: 'error', error: 'Bad' }, null, 'Bad'],
    [{ type: 'error' }, null, 'The server reported a failure and did not say which.'],
  ])('in %j is reported at once, and nothing follows it', (event, code, message) => {
    const events = decode([start(), ...call(0, '{}'), event, ...text(1, 'more'), stop('end_turn'), end]);
    expect(last(events)).toEqual({ type: 'failed', code, message });
    expect(doneItems(events)).toEqual([]);
  });
});

test('a message in one piece has the same items as a stream', () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'Eq=' },
    { type: 'text', text: 'Let me see.', citations: null },
    { type: 'tool_use', id: 't1', name: 'f', input: { x: [1] } },
  ];
  const events = decode([
    { id: 'm1', type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage: { output_tokens: 3 } },
  ]);
  expect(doneItems(events).map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
  expect(calls(events)).toEqual([['t1', '{"x":[1]}']]);
  expect(last(events)).toMatchObject({ type: 'completed', usage: { outputTokens: 3 } });
});

test('ids differ from those of earlier responses, even if the server reuses its own', () => {
  const input: Item[] = [{ type: 'message', id: 'msg_m1_0', role: 'assistant', content: [] }];
  const events = decode([start(), ...text(0, 'x'), stop('end_turn'), end], { input });
  expect(doneItems(events)[0]?.id).toBe('msg_m1-2_0');
  const keyed = decode([start({ id: undefined }), ...text(0, 'x'), stop('end_turn'), end], { itemKey: 'k' });
  expect(keyed[0]).toEqual({ type: 'created', responseId: 'msg' });
  expect(doneItems(keyed)[0]?.id).toBe('msg_k_0');
});

test('for any frames, items begin before they continue, end once and have unique ids', () => {
  fc.assert(
    fc.property(fc.array(fixtures.anyFrame, { maxLength: 12 }), (frames) => {
      const decoder = decodeStream();
      const events = [...frames.flatMap((one) => decoder.push(one)), ...decoder.end()];
      const begun = new Set<unknown>();
      const done = new Set<unknown>();
      for (const event of events) {
        if (event.type === 'item.started') {
          expect(begun.has(event.item.id)).toBe(false);
          begun.add(event.item.id);
        } else if (event.type === 'item.done') {
          expect([begun.has(event.item.id), done.has(event.item.id)]).toEqual([true, false]);
          done.add(event.item.id);
        } else if ('itemId' in event) {
          expect([begun.has(event.itemId), done.has(event.itemId)]).toEqual([true, false]);
        }
      }
    }),
    { numRuns: runs(2000) },
  );
});
