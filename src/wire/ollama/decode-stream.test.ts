import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { REQUEST } from '../fixtures/conformance.ts';
import { decodeStream } from './decode-stream.ts';

const AT = '2025-10-09T08:53:20.123456789Z';
const ID = 'ollama-20251009T085320123456789Z';
const END = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };

const said = (message: object, more: object = {}) => ({
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});

function decode(lines: readonly (object | string)[], request?: ModelRequest): readonly ModelEvent[] {
  const decoder = decodeStream(request);
  const frames = lines.map((line) => ({
    data: typeof line === 'string' ? line : JSON.stringify({ model: 'm', created_at: AT, ...line }),
  }));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

const itemsIn = (events: readonly ModelEvent[]): readonly Item[] =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

describe('a response', () => {
  test('has texts, which are complete at its last line, and the counts of that line', () => {
    const events = decode([
      said({ thinking: 'Hm' }),
      said({ thinking: '.' }),
      said({ content: 'Good ' }),
      said({ content: 'day' }),
      { ...END, prompt_eval_count: 26, eval_count: 298, total_duration: 1 },
    ]);
    const rs = `rs_${ID}_0`;
    const msg = `msg_${ID}_1`;
    expect(events).toEqual([
      { type: 'created', responseId: ID },
      { type: 'item.started', item: { type: 'reasoning', id: rs } },
      { type: 'reasoning.delta', itemId: rs, kind: 'raw', delta: 'Hm' },
      { type: 'reasoning.delta', itemId: rs, kind: 'raw', delta: '.' },
      { type: 'item.started', item: { type: 'message', id: msg } },
      { type: 'text.delta', itemId: msg, delta: 'Good ' },
      { type: 'text.delta', itemId: msg, delta: 'day' },
      {
        type: 'item.done',
        item: {
          type: 'reasoning',
          id: rs,
          summary: [],
          content: [{ type: 'reasoning_text', text: 'Hm.' }],
          encrypted_content: null,
        },
      },
      {
        type: 'item.done',
        item: { type: 'message', id: msg, role: 'assistant', content: [{ type: 'output_text', text: 'Good day' }] },
      },
      {
        type: 'completed',
        responseId: ID,
        usage: { ...NO_USAGE, inputTokens: 26, outputTokens: 298, totalTokens: 324 },
        endTurn: null,
      },
    ]);
  });

  test('may come as a whole', () => {
    const call = { function: { name: 'look', arguments: { a: 1 } } };
    const events = decode([
      { ...END, message: { role: 'assistant', content: 'So.', thinking: 'Hm', tool_calls: [call] } },
    ]);
    expect(itemsIn(events).map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(events.at(-1)).toMatchObject({ type: 'completed', usage: null });
  });

  test('to a prompt has its texts in the line itself', () => {
    const events = decode([
      { response: '', thinking: 'Hm', done: false },
      { response: 'x = 1', done: false },
      { response: '', done: true },
    ]);
    expect(itemsIn(events)).toMatchObject([
      { type: 'reasoning', content: [{ text: 'Hm' }] },
      { type: 'message', content: [{ text: 'x = 1' }] },
    ]);
  });

  test.each([
    ['stop', 'completed'],
    ['load', 'completed'],
    [undefined, 'completed'],
    ['', 'completed'],
    ['length', 'incomplete'],
    ['content_filter', 'incomplete'],
  ])('with the reason %s is %s', (done_reason, type) => {
    expect(decode([{ ...END, done_reason }]).at(-1)).toMatchObject({ type });
  });

  test('without a time has an id too', () => {
    const decoder = decodeStream();
    expect(decoder.push({ data: JSON.stringify(END) })).toMatchObject([{ responseId: 'ollama-0' }, {}]);
  });

  test('reports one of the counts only, as servers leave out a count of zero', () => {
    expect(decode([{ ...END, eval_count: 3 }]).at(-1)).toMatchObject({ usage: { inputTokens: 0, outputTokens: 3 } });
  });
});

describe('calls', () => {
  const call = (name: string, args: unknown, id?: string) => ({ id, function: { index: 0, name, arguments: args } });

  test('are complete at once, and so are the texts before them', () => {
    const decoder = decodeStream();
    const push = (line: object) => decoder.push({ data: JSON.stringify({ created_at: AT, ...line }) });
    push(said({ thinking: 'Hm' }));
    push(said({ content: 'Let me see.' }));
    const events = push(said({ tool_calls: [call('look', { b: [1], a: 'x' }, 'call_1')] }));
    expect(itemsIn(events)).toMatchObject([
      { type: 'reasoning' },
      { type: 'message' },
      { type: 'function_call', id: `fc_${ID}_2`, name: 'look', arguments: '{"b":[1],"a":"x"}', call_id: 'call_1' },
    ]);
    expect(itemsIn(push(said({ content: 'And' })))).toEqual([]);
    expect(itemsIn(push(END))).toMatchObject([{ type: 'message', id: `msg_${ID}_3` }]);
  });

  test('without ids get ids that are unique and the same each time', () => {
    const lines = [
      said({ tool_calls: [call('look', {}), call('look', {})] }),
      said({ tool_calls: [call('look', {})] }),
      END,
    ];
    const ids = itemsIn(decode(lines)).map((item) => ('call_id' in item ? item.call_id : undefined));
    expect(new Set(ids).size).toBe(3);
    expect(itemsIn(decode(lines)).map((item) => ('call_id' in item ? item.call_id : undefined))).toEqual(ids);
    const history = itemsIn(decode(lines));
    const later = itemsIn(decode(lines, { ...REQUEST, input: history }));
    expect(later.map((item) => ('call_id' in item ? ids.includes(item.call_id) : true))).toEqual([false, false, false]);
  });

  test('keep the digits of numbers and the order of keys', () => {
    const args = '{"b": 12345678901234567890, "1": 1.10, "0": {"x": [1e2, -0.0]}}';
    const line = `{"created_at":"${AT}","message":{"tool_calls":[{"function":{"name":"f","arguments":${args}}}]},"done":false}`;
    expect(itemsIn(decode([line, END]))).toMatchObject([
      { arguments: '{"b":12345678901234567890,"1":1.10,"0":{"x":[1e2,-0.0]}}' },
    ]);
  });

  test.each([
    ['{"a":1}', '{"a":1}'],
    ['half {', 'half {'],
    [null, '{}'],
    [undefined, '{}'],
    [[1], '[1]'],
  ])('may have the arguments %j', (args, text) => {
    expect(itemsIn(decode([said({ tool_calls: [call('f', args)] }), END]))).toMatchObject([{ arguments: text }]);
  });

  test('keep their arguments apart where one has none', () => {
    const events = decode([said({ tool_calls: [{ function: { name: 'f' } }, call('g', { a: 1 })] }), END]);
    expect(itemsIn(events)).toMatchObject([
      { name: 'f', arguments: '{}' },
      { name: 'g', arguments: '{"a":1}' },
    ]);
  });

  test('without a name fail the response', () => {
    const events = decode([said({ tool_calls: [call('f', {}), call('', {}), call('g', {})] }), END]);
    expect(itemsIn(events)).toMatchObject([{ name: 'f' }]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', code: 'invalid_response' });
  });

  test('in the line that reports a limit are left out', () => {
    const cut = { ...END, done_reason: 'length', message: { content: 'So', tool_calls: [call('f', {})] } };
    expect(itemsIn(decode([cut]))).toMatchObject([{ type: 'message' }]);
    const before = decode([said({ tool_calls: [call('f', {})] }), { ...END, done_reason: 'length' }]);
    expect(itemsIn(before)).toMatchObject([{ type: 'function_call' }]);
  });

  test('stand for the tools of the request', () => {
    const tools = [
      { type: 'custom', name: 'patch', description: '' },
      { type: 'local_shell' },
      { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'find' }] },
    ] as unknown as ToolSpec[];
    const calls = [call('patch', { input: '***' }), call('shell', { command: ['ls'] }), call('docs__find', { q: 1 })];
    const events = decode([said({ tool_calls: calls }), END], { ...REQUEST, tools });
    expect(itemsIn(events)).toMatchObject([
      { type: 'custom_tool_call', name: 'patch', input: '***' },
      { type: 'local_shell_call', action: { command: ['ls'] } },
      { type: 'function_call', name: 'find', namespace: 'docs', arguments: '{"q":1}' },
    ]);
    expect(events.filter(({ type }) => type === 'item.started')).toMatchObject([
      { item: { name: 'patch' } },
      { item: { type: 'local_shell_call' } },
      { item: { name: 'find', namespace: 'docs' } },
    ]);
  });
});

describe('a failure', () => {
  test.each([
    [{ error: 'no memory' }, null, 'no memory'],
    [{ error: 'slow down', code: 'rate_limit_exceeded' }, 'rate_limit_exceeded', 'slow down'],
    [{ error: { message: 'no memory', code: 500 } }, '500', 'no memory'],
  ])('of the line %j ends the response', (line, code, message) => {
    const events = decode([said({ content: 'So' }), line, END]);
    expect(events.at(-1)).toEqual({ type: 'failed', code, message });
    expect(itemsIn(events)).toEqual([]);
  });

  test('is reported for a stream without its last line', () => {
    for (const lines of [[], [said({ content: 'So' })], ['<html>'], [{ status: 'pulling' }]]) {
      expect(decode(lines).at(-1)).toMatchObject({ type: 'failed', code: 'stream_closed' });
    }
  });
});
