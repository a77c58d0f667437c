import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelRequest } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { type Compat, DEFAULT_COMPAT } from '../../base/wire.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { client } from './client.ts';
import { encodeRequest } from './encode-request.ts';

const tool: ToolSpec = {
  type: 'function',
  name: 'look',
  description: 'Looks.',
  strict: false,
  parameters: { type: 'object' },
};
const user: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] };
const REQUEST: ModelRequest = {
  model: 'm',
  instructions: 'Be brief.',
  input: [user],
  tools: [tool],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

const encode = (changes: Partial<ModelRequest> = {}, compat: Partial<Compat> = {}) =>
  JSON.parse(wholeText(encodeRequest({ ...REQUEST, ...changes }, { ...DEFAULT_COMPAT, ...compat })));

describe('a request', () => {
  test('has the fields that every request needs, and the marks for the cache', () => {
    expect(encode()).toEqual({
      model: 'm',
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      max_tokens: 32_000,
      cache_control: { type: 'ephemeral' },
    });
  });

  test('without instructions and tools has neither', () => {
    expect(Object.keys(encode({ instructions: ' ', tools: [] }))).toEqual([
      ...['model', 'messages', 'stream', 'max_tokens', 'cache_control'],
    ]);
  });

  test('has the sampling settings that this wire has fields for', () => {
    const sampling = {
      maxOutputTokens: 100,
      temperature: 1.7,
      topP: 0.5,
      topK: 40,
      stop: ['END'],
      seed: 7,
      serviceTier: 'flex',
      user: 'u1',
    };
    expect(encode({ sampling })).toMatchObject({
      max_tokens: 100,
      temperature: 1,
      top_p: 0.5,
      top_k: 40,
      stop_sequences: ['END'],
      service_tier: 'standard_only',
      metadata: { user_id: 'u1' },
    });
    expect(encode({ sampling: { serviceTier: 'priority' } }).service_tier).toBe('auto');
  });

  test('has a schema for the answer, unless any object fits', () => {
    const schema = { name: 'answer', strict: true, schema: { type: 'object' } };
    expect(encode({ text: { schema } }).output_config).toEqual({
      format: { type: 'json_schema', schema: { type: 'object' } },
    });
    expect(encode({ text: { schema: { ...schema, anyObject: true } } }).output_config).toBeUndefined();
  });
});

describe('the choice of tools', () => {
  test.each<[ModelRequest['toolChoice'], boolean, unknown]>([
    ['auto', true, undefined],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', false, { type: 'none' }],
    ['required', true, { type: 'any' }],
    [{ type: 'custom', name: 'patch' }, false, { type: 'tool', name: 'patch', disable_parallel_tool_use: true }],
  ])('%j, parallel %s', (toolChoice, parallelToolCalls, sent) => {
    expect(encode({ toolChoice, parallelToolCalls }).tool_choice).toEqual(sent);
  });

  test('asks for one call at a time if the server accepts no more, and is left out without tools', () => {
    expect(encode({}, { parallelToolCalls: false }).tool_choice).toMatchObject({ disable_parallel_tool_use: true });
    expect(encode({ tools: [], toolChoice: 'required' }).tool_choice).toBeUndefined();
  });
});

describe('thinking', () => {
  test.each<[ModelRequest['reasoning'], unknown, unknown]>([
    [{}, undefined, undefined],
    [{ summary: 'auto' }, undefined, undefined],
    [{ effort: 'high' }, { type: 'adaptive' }, { effort: 'high' }],
    [{ effort: 'minimal', summary: 'auto' }, { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    [{ effort: 'xhigh', summary: 'none' }, { type: 'adaptive' }, { effort: 'xhigh' }],
    [{ effort: 'none' }, { type: 'disabled' }, undefined],
  ])('%j', (reasoning, thinking, config) => {
    const body = encode({ reasoning });
    expect([body.thinking, body.output_config]).toEqual([thinking, config]);
  });

  test('is not asked for where a tool must be called, and takes no temperature', () => {
    const forced = encode({ reasoning: { effort: 'high' }, toolChoice: 'required', sampling: { temperature: 0 } });
    expect([forced.thinking, forced.output_config, forced.temperature]).toEqual([undefined, { effort: 'high' }, 0]);
    const sampling = { temperature: 0, topP: 0.5, topK: 40 };
    const thinks = encode({ reasoning: { effort: 'high' }, sampling });
    expect([thinks.temperature, thinks.top_p, thinks.top_k]).toEqual([undefined, undefined, undefined]);
    expect(encode({ reasoning: { effort: 'high' }, sampling: { topP: 0.97 } }).top_p).toBe(0.97);
  });
});

describe('tools', () => {
  const tools = [
    { type: 'function', name: 'bare', description: '', strict: true, parameters: {} },
    { type: 'custom', name: 'patch', description: 'Patches.' },
    { type: 'local_shell' },
    { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'find', description: 'Finds.' }] },
    {
      type: 'web_search',
      external_web_access: true,
      filters: { allowed_domains: ['example.com'] },
      user_location: { type: 'approximate', country: 'CH' },
      search_context_size: 'low',
    },
    { type: 'web_search', external_web_access: false },
    { type: 'image_generation' },
  ] as unknown as ToolSpec[];

  test('of every kind are functions, except for the search of the server', () => {
    expect(encode({ tools }).tools).toMatchObject([
      { name: 'bare', input_schema: { type: 'object' }, strict: true },
      { name: 'patch', input_schema: { properties: { input: { type: 'string' } } } },
      { name: 'shell', input_schema: { required: ['command'] } },
      { name: 'docs__find', description: 'Finds.' },
      {
        type: 'web_search_20250305',
        name: 'web_search',
        allowed_domains: ['example.com'],
        user_location: { type: 'approximate', country: 'CH' },
      },
    ]);
    expect(encode({ tools }).tools[0]).not.toHaveProperty('description');
  });

  test('that this wire cannot express are listed once each', () => {
    expect(client.unsentTools([...tools, ...tools])).toEqual(['web_search', 'image_generation']);
    expect(client.unsentTools([{ type: 'web_search' }])).toEqual([]);
  });
});

describe('consecutive requests', () => {
  const history: Item[] = [
    user,
    {
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'hm' }],
      encrypted_content: encodeOpaqueState({ signature: 'Eq=' }),
    },
    { type: 'function_call', name: 'look', arguments: '{"at":1}', call_id: 'c1' },
    { type: 'function_call_output', call_id: 'c1', output: 'x' },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Hurry.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    user,
    { type: 'function_call', name: 'look', arguments: '{"at":2}', call_id: 'c2' },
    { type: 'function_call_output', call_id: 'c2', output: 'y' },
  ];
  /** Ends of the history at which requests are sent. */
  const ends = [1, 4, 7, 9];
  const requests = ends.map((count) =>
    encodeRequest({ ...REQUEST, input: history.slice(0, count), failedCalls: new Set(['c1']) }, DEFAULT_COMPAT),
  );

  test('share their bytes up to the end of the older history, also with reasoning of earlier turns', () => {
    for (const [n, request] of requests.entries()) {
      const next = requests[n + 1];
      if (next === undefined) continue;
      expect(next.head).toBe(request.head);
      expect(next.entries.slice(0, request.entries.length)).toEqual(request.entries);
      expect(next.rest).toBe(request.rest);
    }
    expect(requests.at(-1)?.entries.join()).toContain('"signature":"Eq="');
  });

  test('read each item and the tools once', () => {
    let reads = 0;
    const counting = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, name) {
          if (name === 'content' || name === 'arguments' || name === 'output' || name === 'parameters') reads++;
          return Reflect.get(target, name);
        },
      });
    const tools = [counting(tool)];
    const input = history.slice(1, 4).map(counting);
    encodeRequest({ ...REQUEST, input, tools }, DEFAULT_COMPAT);
    const first = reads;
    encodeRequest({ ...REQUEST, input, tools }, DEFAULT_COMPAT);
    expect(first).toBeGreaterThan(0);
    expect(reads).toBe(first);
  });
});
