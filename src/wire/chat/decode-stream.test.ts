import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { decodeStream } from './decode-stream.ts';
import { fixtures } from './fixtures/conformance.ts';

const DONE = '[DONE]';

/** Returns all events of a stream of these chunks. */
function decode(chunks: readonly unknown[], request?: ModelRequest): ModelEvent[] {
  const decoder = decodeStream(request);
  const frames = chunks.map((chunk) => ({ data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) }));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

const chunk = (delta: unknown, finish_reason: string | null = null) => ({
  id: 'r',
  created: 7,
  choices: [{ index: 0, delta, finish_reason }],
});
const finish = (reason: string) => chunk({}, reason);
const callPiece = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
const call = (index: number, id: string, name: string, args: string) =>
  callPiece(index, { id, type: 'function', function: { name, arguments: args } });

const doneItems = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
const types = (events: readonly ModelEvent[]) => events.map((event) => event.type);

const completed = { type: 'completed', responseId: 'r', usage: null, endTurn: null };

describe('texts', () => {
  test('content is a message, from its first piece to the finish signal', () => {
    const events = decode([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'he' }),
      chunk({ content: 'y' }),
      finish('stop'),
      DONE,
    ]);
    expect(events).toEqual([
      { type: 'created', responseId: 'r' },
      { type: 'item.started', item: { type: 'message', id: 'msg_r_0' } },
      { type: 'text.delta', itemId: 'msg_r_0', delta: 'he' },
      { type: 'text.delta', itemId: 'msg_r_0', delta: 'y' },
      {
        type: 'item.done',
        item: { type: 'message', id: 'msg_r_0', role: 'assistant', content: [{ type: 'output_text', text: 'hey' }] },
      },
      completed,
    ]);
  });

  test.each([
    [{ reasoning_content: 'hm' }],
    [{ reasoning: 'hm' }],
    [{ reasoning: { content: 'hm' } }],
    [{ reasoning: { text: 'hm' } }],
    [{ reasoning_content: 'hm', reasoning: 'hm' }],
    [{ reasoning_content: '', reasoning: 'hm', content: null }],
  ])('%j is raw reasoning', (delta) => {
    expect(decode([chunk(delta), finish('stop'), DONE]).slice(1, -1)).toEqual([
      { type: 'item.started', item: { type: 'reasoning', id: 'rs_r_0' } },
      { type: 'reasoning.delta', itemId: 'rs_r_0', kind: 'raw', delta: 'hm' },
      {
        type: 'item.done',
        item: {
          type: 'reasoning',
          id: 'rs_r_0',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'hm' }],
          encrypted_content: null,
        },
      },
    ]);
  });

  test('content may be a list of texts', () => {
    const content = [{ type: 'text', text: 'a' }, { text: 'b' }, { type: 'other' }, 7];
    expect(decode([chunk({ content })])).toContainEqual({ type: 'text.delta', itemId: 'msg_r_0', delta: 'ab' });
  });

  test('a refusal is a part of the message', () => {
    const events = decode([chunk({ content: 'Well' }), chunk({ refusal: 'no' }), finish('stop'), DONE]);
    expect(doneItems(events)).toMatchObject([
      {
        content: [
          { type: 'output_text', text: 'Well' },
          { type: 'refusal', refusal: 'no' },
        ],
      },
    ]);
  });

  test('text in the frame of the finish signal counts', () => {
    expect(doneItems(decode([chunk({ content: 'all' }, 'stop')]))).toMatchObject([{ content: [{ text: 'all' }] }]);
  });

  test('only the first choice counts', () => {
    const other = {
      id: 'r',
      choices: [
        { index: 1, delta: { content: 'b' } },
        { index: 0, delta: { content: 'c' } },
      ],
    };
    const events = decode([chunk({ content: 'a' }), other, finish('stop')]);
    expect(doneItems(events)).toMatchObject([{ content: [{ text: 'ac' }] }]);
  });
});

describe('calls', () => {
  test('are joined by index, and all are completed at the finish signal', () => {
    const events = decode([
      chunk({ content: 'I look.' }),
      call(0, 'c1', 'f', ''),
      callPiece(0, { id: '', function: { name: '', arguments: '{"a"' } }),
      call(1, 'c2', 'g', '{'),
      callPiece(0, { id: 'other', function: { name: 'other', arguments: ':1}' } }),
      callPiece(1, { function: { arguments: '}' } }),
      chunk({ reasoning_content: 'late' }),
      finish('tool_calls'),
      DONE,
    ]);
    expect(events.filter((event) => event.type === 'input.delta').map((event) => [event.itemId, event.delta])).toEqual([
      ['fc_r_1', '{"a"'],
      ['fc_r_2', '{'],
      ['fc_r_1', ':1}'],
      ['fc_r_2', '}'],
    ]);
    expect(events).toContainEqual({
      type: 'item.started',
      item: { type: 'function_call', id: 'fc_r_1', name: 'f', callId: 'c1' },
    });
    expect(doneItems(events).slice(0, 2)).toMatchObject([{ type: 'reasoning' }, { type: 'message' }]);
    expect(doneItems(events).slice(2)).toEqual([
      { type: 'function_call', id: 'fc_r_1', name: 'f', arguments: '{"a":1}', call_id: 'c1' },
      { type: 'function_call', id: 'fc_r_2', name: 'g', arguments: '{}', call_id: 'c2' },
    ]);
    expect(events.at(-1)).toEqual(completed);
  });

  test.each(['tool_calls', 'stop', 'function_call', 'end'])('are emitted after the signal "%s"', (reason) => {
    const events = decode([call(0, 'c', 'f', '{}'), finish(reason), DONE]);
    expect(doneItems(events)).toMatchObject([{ type: 'function_call', call_id: 'c' }]);
    expect(events.at(-1)).toEqual(completed);
  });

  test('may come whole, unnumbered and with the signal', () => {
    const tool_calls = [
      { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'c2', type: 'function', function: { name: 'g', arguments: '{' } },
    ];
    const more = { tool_calls: [{ id: 'c2', function: { arguments: '"b"' } }, { function: { arguments: ':2}' } }] };
    const events = decode([chunk({ tool_calls }), chunk(more, 'tool_calls')]);
    expect(doneItems(events)).toMatchObject([
      { name: 'f', arguments: '{"a":1}', call_id: 'c1' },
      { name: 'g', arguments: '{"b":2}', call_id: 'c2' },
    ]);
  });

  test('without numbers and ids begin with their names', () => {
    const tool_calls = ['f', 'g'].map((name) => ({ function: { name, arguments: '{}' } }));
    expect(doneItems(decode([chunk({ tool_calls }, 'tool_calls')]))).toMatchObject([{ name: 'f' }, { name: 'g' }]);
  });

  test('are not announced before their name is known', () => {
    const events = decode([
      callPiece(0, { function: { arguments: '{"a"' } }),
      callPiece(0, { id: 'c', function: { name: 'f', arguments: ':1}' } }),
      finish('tool_calls'),
    ]);
    expect(events.slice(1, 3)).toEqual([
      { type: 'item.started', item: { type: 'function_call', id: 'fc_r_0', name: 'f', callId: 'c' } },
      { type: 'input.delta', itemId: 'fc_r_0', delta: '{"a":1}' },
    ]);
  });

  test('without a name make the response fail, and the others still count', () => {
    const events = decode([
      callPiece(0, { id: 'c1', function: { arguments: '{}' } }),
      call(1, 'c2', 'f', '{}'),
      finish('stop'),
      DONE,
    ]);
    expect(doneItems(events)).toMatchObject([{ call_id: 'c2' }]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', code: 'invalid_response' });
  });

  test('without any content are ignored', () => {
    expect(
      types(decode([callPiece(0, { id: null, function: null }), chunk({ tool_calls: null }), finish('stop'), DONE])),
    ).toEqual(['created', 'completed']);
  });

  test('without an id get a stable id that differs from others', () => {
    const stream = [call(0, '', 'f', '{}'), call(1, '', 'f', '{}'), finish('tool_calls')];
    const ids = doneItems(decode(stream)).map((item) => 'call_id' in item && item.call_id);
    expect(ids).toEqual([expect.stringMatching(/^call_[0-9a-f]{28}$/), expect.stringMatching(/^call_[0-9a-f]{28}$/)]);
    expect(new Set(ids).size).toBe(2);
    expect(decode(stream)).toEqual(decode(stream));
  });
});

describe('ids', () => {
  const withHistory = (input: readonly Item[]): ModelRequest => ({ ...request([]), input });
  const stream = [call(0, '', 'f', '{}'), finish('tool_calls')];

  test('differ from those of earlier responses, even if the server reuses its own', () => {
    const history: Item[] = [];
    for (let n = 0; n < 4; n++) history.push(...doneItems(decode(stream, withHistory(history))));
    expect(history.map(({ id }) => id)).toEqual(['fc_r_0', 'fc_r-2_0', 'fc_r-3_0', 'fc_r-4_0']);
    expect(new Set(history.map((item) => 'call_id' in item && item.call_id)).size).toBe(4);
  });

  test('are made of the time where the server sends none', () => {
    const chunks = stream.map((one) => ({ ...one, id: '' }));
    expect(decode(chunks)[0]).toEqual({ type: 'created', responseId: 'chat-7' });
    expect(doneItems(decode(chunks))).toMatchObject([{ id: 'fc_chat-7_0' }]);
    const first = doneItems(decode(chunks));
    expect(doneItems(decode(chunks, withHistory(first)))).toMatchObject([{ id: 'fc_chat-7-2_0' }]);
    expect(decode(chunks.map(({ choices }) => ({ choices })))[0]).toEqual({ type: 'created', responseId: 'chat-0' });
  });
});

describe('tools that are not functions on other wires', () => {
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
  const tools: ToolSpec[] = [
    { type: 'custom', name: 'apply_patch', description: '', format: grammar },
    { type: 'local_shell' },
    {
      type: 'namespace',
      name: 'mcp__docs',
      tools: [
        { type: 'function', name: 'find' },
        { type: 'custom', name: 'ask' },
      ],
    },
  ];
  const items = (name: string, args: string) =>
    decode(
      [call(0, 'c', name, args.slice(0, 3)), callPiece(0, { function: { arguments: args.slice(3) } }), finish('stop')],
      request(tools),
    );

  test('a call of a custom tool has its input unpacked', () => {
    const events = items('apply_patch', '{"input":"*** Begin\\n"}');
    const id = 'ctc_r_0';
    expect(events.slice(1, -1)).toEqual([
      { type: 'item.started', item: { type: 'custom_tool_call', id, name: 'apply_patch', callId: 'c' } },
      { type: 'input.delta', itemId: id, delta: '*** Begin\n' },
      {
        type: 'item.done',
        item: { type: 'custom_tool_call', id, call_id: 'c', name: 'apply_patch', input: '*** Begin\n' },
      },
    ]);
  });

  test.each(['*** Begin Patch', '{"patch":1}', '["x"]', ''])(
    'the input %j of a custom tool is taken as it is',
    (text) => {
      expect(doneItems(items('apply_patch', text))).toMatchObject([{ type: 'custom_tool_call', input: text }]);
    },
  );

  test('a call of shell is a call of the local shell', () => {
    const args = { command: ['ls', '-l'], workdir: '/w', timeout_ms: 5, justification: 'x' };
    expect(items('shell', JSON.stringify(args)).slice(1, -1)).toEqual([
      { type: 'item.started', item: { type: 'local_shell_call', id: 'lsh_r_0', callId: 'c' } },
      {
        type: 'item.done',
        item: {
          type: 'local_shell_call',
          id: 'lsh_r_0',
          call_id: 'c',
          action: { type: 'exec', command: ['ls', '-l'], timeout_ms: 5, working_directory: '/w' },
        },
      },
    ]);
  });

  test.each(['{"command":"ls"}', '{', '[]'])('arguments %j for the local shell stay a function call', (args) => {
    const events = items('shell', args);
    expect(doneItems(events)).toEqual([
      { type: 'function_call', id: 'fc_r_0', name: 'shell', arguments: args, call_id: 'c' },
    ]);
    expect(types(events)).toEqual(['created', 'item.started', 'input.delta', 'item.done', 'completed']);
  });

  test('a call of a tool in a namespace has the namespace', () => {
    const events = items('mcp__docs__find', '{}');
    expect(events[1]).toMatchObject({ item: { type: 'function_call', name: 'find', namespace: 'mcp__docs' } });
    expect(doneItems(events)).toEqual([
      { type: 'function_call', id: 'fc_r_0', name: 'find', namespace: 'mcp__docs', arguments: '{}', call_id: 'c' },
    ]);
    expect(doneItems(items('mcp__docs__ask', '{"input":"x"}'))).toMatchObject([
      { type: 'custom_tool_call', name: 'ask', namespace: 'mcp__docs', input: 'x' },
    ]);
  });

  test('a declared function named shell stays a function', () => {
    const both: ToolSpec[] = [
      { type: 'local_shell' },
      { type: 'function', name: 'shell', description: '', strict: false, parameters: {} },
    ];
    const events = decode([call(0, 'c', 'shell', '{"command":["ls"]}'), finish('stop')], request(both));
    expect(doneItems(events)).toMatchObject([{ type: 'function_call', name: 'shell' }]);
  });

  test('calls that are custom on the wire need no declaration', () => {
    const piece = (input: string, more = {}) => callPiece(0, { ...more, custom: { name: 'g', input } });
    const events = decode([piece('a', { id: 'c', type: 'custom' }), piece('b'), finish('tool_calls')]);
    expect(types(events)).toEqual(['created', 'item.started', 'input.delta', 'input.delta', 'item.done', 'completed']);
    expect(doneItems(events)).toMatchObject([{ type: 'custom_tool_call', name: 'g', input: 'ab' }]);
  });
});

describe('the end of a response', () => {
  const usage = {
    prompt_tokens: 10,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
    completion_tokens: 5,
    completion_tokens_details: { reasoning_tokens: 2 },
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
  const hi = chunk({ content: 'hi' });

  test('comes with the usage that follows the signal', () => {
    const decoder = decodeStream();
    const push = (value: unknown) => types(decoder.push({ data: JSON.stringify(value) }));
    expect(push(hi)).toEqual(['created', 'item.started', 'text.delta']);
    expect(push(finish('stop'))).toEqual(['item.done']);
    expect(decoder.push({ data: JSON.stringify({ id: 'r', choices: [], usage }) })).toEqual([
      { ...completed, usage: read },
    ]);
    expect(decoder.push({ data: DONE })).toEqual([]);
    expect(decoder.end()).toEqual([]);
  });

  test.each([
    ['the end mark', [DONE]],
    ['the end of the connection', []],
  ])('comes with %s where the signal brought the usage', (_, rest) => {
    expect(decode([hi, { ...finish('stop'), usage }, ...rest]).at(-1)).toEqual({ ...completed, usage: read });
  });

  test('has the usage in a field of the server, unless there is another', () => {
    const named = { ...finish('stop'), x_server: { id: 'req_1', usage } };
    expect(decode([hi, named]).at(-1)).toEqual({ ...completed, usage: read });
    expect(decode([hi, { ...named, x_server: { usage: { prompt_tokens: 1 } }, usage }]).at(-1)).toEqual({
      ...completed,
      usage: read,
    });
    const early = { ...finish('stop'), x_server: { usage: { prompt_tokens: 1 } } };
    expect(decode([hi, early, { choices: [], usage }]).at(-1)).toEqual({ ...completed, usage: read });
  });

  test('has the last usage where the server sends it with each chunk', () => {
    const events = decode([{ ...hi, usage: { prompt_tokens: 1 } }, finish('stop'), { choices: [], usage }]);
    expect(events.at(-1)).toEqual({ ...completed, usage: read });
  });

  test.each([
    [null, null],
    ['many', null],
    [{ prompt_tokens: 1, completion_tokens: 2 }, [1, 0, 2, 0, 3]],
    [{ prompt_tokens: 'x', total_tokens: null }, [0, 0, 0, 0, 0]],
  ])('tolerates a usage of %j', (given, expected) => {
    const last = decode([{ ...chunk({ content: 'hi' }, 'stop'), usage: given }]).at(-1);
    const counts = last?.type === 'completed' ? last.usage : null;
    expect(
      counts && [
        counts.inputTokens,
        counts.cachedInputTokens,
        counts.outputTokens,
        counts.reasoningOutputTokens,
        counts.totalTokens,
      ],
    ).toEqual(expected);
  });

  test('is a success at the end mark, even without a signal', () => {
    expect(types(decode([call(0, 'c', 'f', '{}'), DONE])).slice(-2)).toEqual(['item.done', 'completed']);
  });

  test.each([
    ['nothing', [DONE]],
    ['usage', [{ choices: [], usage }, DONE]],
    ['an id', [{ id: 'r', choices: [] }, DONE]],
  ])('is a failure where nothing came but %s and the end mark', (_, frames) => {
    expect(decode(frames).at(-1)).toMatchObject({ type: 'failed', code: 'invalid_response' });
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('is incomplete after "%s", and its calls do not count', (reason, name) => {
    const events = decode([hi, call(0, 'c', 'f', '{"a'), { ...finish(reason), usage }, DONE]);
    expect(doneItems(events)).toMatchObject([{ type: 'message', content: [{ text: 'hi' }] }]);
    expect(events.at(-1)).toEqual({ type: 'incomplete', responseId: 'r', reason: name, usage: read });
  });

  test('is decided by the first of several signals', () => {
    expect(decode([hi, finish('length'), finish('stop'), DONE]).at(-1)).toMatchObject({ type: 'incomplete' });
  });

  test('waits for a separate usage chunk, even if the signal had a usage', () => {
    const early = { ...finish('stop'), usage: { prompt_tokens: 1 } };
    expect(decode([hi, early, { id: 'r', choices: [], usage }]).at(-1)).toEqual({ ...completed, usage: read });
  });

  test('is a failure where the connection ends before the signal, and no item is complete', () => {
    const events = decode([hi, call(0, 'c', 'f', '{}')]);
    expect(doneItems(events)).toEqual([]);
    expect(events.at(-1)).toEqual({
      type: 'failed',
      code: 'stream_closed',
      message: 'stream closed before the finish signal',
    });
    expect(types(decode([]))).toEqual(['failed']);
  });

  test('does not come with an empty signal', () => {
    expect(decode([chunk({ content: 'hi' }, '')]).at(-1)).toMatchObject({ code: 'stream_closed' });
  });

  test('items after the signal need a signal of their own', () => {
    const late = call(0, 'c', 'f', '{}');
    expect(decode([hi, finish('stop'), late]).at(-1)).toMatchObject({ code: 'stream_closed' });
    expect(doneItems(decode([hi, finish('stop'), late, finish('tool_calls')])).map(({ id }) => id)).toEqual([
      'msg_r_0',
      'fc_r_1',
    ]);
    expect(types(decode([hi, finish('stop'), chunk({ content: '' }), finish('stop')])).slice(-2)).toEqual([
      'item.done',
      'completed',
    ]);
  });

  test('a chunk about the prompt does not begin the response', () => {
    const events = decode([{ id: '', choices: [], prompt_filter_results: [] }, hi]);
    expect(events[0]).toEqual({ type: 'created', responseId: 'r' });
  });

  test.each([
    [{ error: { code: 'c', type: 't', message: 'm' } }, 'c', 'm'],
    [{ error: { code: 502, message: 'm' }, choices: [] }, '502', 'm'],
    [{ error: { type: 't', code: null, message: 'm' } }, 't', 'm'],
    [{ error: 'm' }, null, 'm'],
    [{ error: {} }, null, 'The server reported a failure and did not say which.'],
    [{ choices: [{ delta: {}, finish_reason: 'error', error: { message: 'm' } }] }, null, 'm'],
  ])('%j is a failure, at the end', (frame, code, message) => {
    const failed = { type: 'failed', code, message };
    const decoder = decodeStream();
    decoder.push({ data: JSON.stringify(call(0, 'c', 'f', '{')) });
    expect(decoder.push({ data: JSON.stringify(frame) })).toEqual([]);
    expect(decoder.push({ data: DONE })).toEqual([failed]);
    expect(decode([hi, frame]).slice(-1)).toEqual([failed]);
  });

  test('calls that come with a failure are dropped, whatever the signal', () => {
    const events = decode([call(0, 'c', 'f', '{}'), { error: { message: 'm' } }, finish('stop'), DONE]);
    expect(doneItems(events)).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'failed', code: null, message: 'm' });
  });

  test('an error of null is ignored', () => {
    expect(types(decode([{ ...hi, error: null }, finish('stop')])).at(-1)).toBe('completed');
  });
});

test.each(['', ': ping', '{"choices":[{', 'null', '[]', '7', '{"choices":{}}'])('%j is ignored', (data) => {
  expect(decodeStream().push({ data })).toEqual([]);
});

test('for any frames, items begin before they continue and have unique ids', () => {
  const tools: ToolSpec[] = [{ type: 'local_shell' }, { type: 'custom', name: 'f', description: '' }];
  fc.assert(
    fc.property(fc.array(fixtures.anyFrame), (frames) => {
      const decoder = decodeStream(request(tools));
      const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
      const started = events.flatMap((event) => (event.type === 'item.started' ? [event.item.id] : []));
      expect(new Set(started).size).toBe(started.length);
      const done = doneItems(events).map((item) => item.id);
      expect(new Set(done).size).toBe(done.length);
      for (const event of events) {
        if ('itemId' in event) expect(started).toContain(event.itemId);
        if (event.type === 'item.done') expect(started).toContain(event.item.id);
      }
      if (events.length > 1) expect(events[0]?.type).toBe('created');
    }),
    { numRuns: runs(2000) },
  );
});

function request(tools: readonly ToolSpec[]): ModelRequest {
  return {
    model: 'm',
    instructions: '',
    input: [],
    tools,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
  };
}
