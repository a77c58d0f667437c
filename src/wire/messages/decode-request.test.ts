import { describe, expect, test } from 'vitest';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { decodeRequest } from './decode-request.ts';

const hello = { role: 'user', content: 'Hello' };
const decode = (fields: object = {}) => decodeRequest({ model: 'm', max_tokens: 100, messages: [hello], ...fields });
const items = (...messages: object[]) => decode({ messages }).input;
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });

describe('a request', () => {
  test('needs a model and messages, the rest has defaults', () => {
    expect(decodeRequest({ model: 'm', messages: [hello] })).toStrictEqual({
      model: 'm',
      instructions: '',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      toolChoice: 'auto',
      tools: [],
      parallelToolCalls: true,
      reasoning: {},
      include: [],
      store: false,
    });
  });

  test('has sampling settings', () => {
    const fields = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ['END'],
      service_tier: 'standard_only',
      metadata: { user_id: 'u1' },
    };
    expect(decode(fields).sampling).toEqual({
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      stop: ['END'],
      serviceTier: 'default',
      user: 'u1',
    });
    expect(decode({ metadata: { user_id: 'u'.repeat(65) } }).sampling).toEqual({ maxOutputTokens: 100 });
  });

  test('has instructions as a text or as blocks', () => {
    expect(decode({ system: 'Be brief.' }).instructions).toBe('Be brief.');
    const blocks = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b' },
    ];
    expect(decode({ system: blocks }).instructions).toBe('a\n\nb');
  });

  test('may have fields that only some servers know', () => {
    const fields = {
      mcp_servers: [{ type: 'url', url: 'https://example.com' }],
      container: 'c',
      context_management: { edits: [] },
      cache_control: { type: 'ephemeral' },
      speed: 'fast',
    };
    expect(decode(fields)).toStrictEqual(decode());
  });

  test('has a schema for its answer, in the newer or the older place', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const schema = { name: 'answer', strict: true, schema: { type: 'object' } };
    expect(decode({ output_config: { format } }).text).toEqual({ schema });
    expect(decode({ output_format: format }).text).toEqual({ schema });
  });
});

describe('thinking', () => {
  const include = ['reasoning.encrypted_content'];
  test.each([
    [{}, {}, []],
    [{ thinking: { type: 'disabled' } }, {}, []],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { effort: 'low', summary: 'auto' }, include],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, { effort: 'medium', summary: 'auto' }, include],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, { effort: 'high', summary: 'auto' }, include],
    [{ thinking: { type: 'adaptive' } }, { summary: 'auto' }, include],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, {}, include],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, { effort: 'max', summary: 'auto' }, include],
    [{ output_config: { effort: 'low' } }, { effort: 'low' }, []],
  ])('%j', (fields, reasoning, included) => {
    expect(decode(fields)).toMatchObject({ reasoning, include: included });
    expect(decode(fields).reasoning).toEqual(reasoning);
  });
});

describe('tools', () => {
  test('of the client are functions, and the search is known to other wires', () => {
    const schema = { type: 'object', properties: { at: { type: 'string' } } };
    const tools = [
      { name: 'look', description: 'Looks.', input_schema: schema, cache_control: {}, defer_loading: true },
      { type: 'custom', name: 'bare', strict: true },
      { type: 'function', function: { name: 'other', parameters: schema } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5, allowed_domains: ['example.com'] },
      { type: 'web_search_20260318', name: 'web_search', user_location: { type: 'approximate', city: 'Bern' } },
      { type: 'bash_20250124', name: 'bash' },
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ];
    expect(decode({ tools }).tools).toEqual([
      { type: 'function', name: 'look', description: 'Looks.', strict: false, parameters: schema },
      { type: 'function', name: 'bare', description: '', strict: true, parameters: {} },
      { type: 'function', name: 'other', description: '', strict: false, parameters: schema },
      { type: 'web_search', filters: { allowed_domains: ['example.com'] } },
      { type: 'web_search', user_location: { type: 'approximate', city: 'Bern' } },
      { type: 'bash_20250124', name: 'bash' },
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ]);
  });

  test.each([
    [{ type: 'auto' }, 'auto', true],
    [{ type: 'any', disable_parallel_tool_use: true }, 'required', false],
    [{ type: 'none' }, 'none', true],
    [{ type: 'tool', name: 'look' }, { type: 'function', name: 'look' }, true],
  ])('are chosen by %j', (tool_choice, toolChoice, parallelToolCalls) => {
    expect(decode({ tool_choice })).toMatchObject({ toolChoice, parallelToolCalls });
  });
});

describe('messages', () => {
  test('of the user have images and documents', () => {
    const png = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
    const content = [
      { type: 'text', text: 'See:', cache_control: { type: 'ephemeral' } },
      { type: 'image', source: png },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      { type: 'document', source: pdf, title: 'a.pdf' },
      { type: 'document', source: pdf },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } },
      { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'found' }] },
      { type: 'container_upload', file_id: 'x' },
    ];
    const text = (one: string) => ({ type: 'input_text', text: one });
    const file_data = 'data:application/pdf;base64,JVBE';
    expect(items(user(...content))).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          text('See:'),
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
          { type: 'input_file', file_id: 'file_1' },
          { type: 'input_file', file_data, filename: 'a.pdf' },
          { type: 'input_file', file_data, filename: 'document.pdf' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
          ...['plain', 'inner', 't', 's', 'found'].map(text),
        ],
      },
    ]);
  });

  test('of the system among the others are those of a developer', () => {
    expect(items(hello, { role: 'system', content: 'Hurry.' })[1]).toEqual({
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Hurry.' }],
    });
  });

  test('of the assistant are its thoughts, texts and calls, in order', () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: 'Eq=' },
      { type: 'text', text: 'Let me ' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'see.' },
      { type: 'tool_use', id: 't1', name: 'look', input: { at: [1] } },
      { type: 'redacted_thinking', data: 'EmwK' },
    ];
    expect(items(hello, assistant(...blocks), { role: 'assistant', content: 'Hi' }).slice(1)).toEqual([
      {
        type: 'reasoning',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'hm' }],
        encrypted_content: encodeOpaqueState({ signature: 'Eq=' }),
      },
      {
        type: 'message',
        role: 'assistant',
        content: ['Let me ', 'see.'].map((text) => ({ type: 'output_text', text })),
      },
      { type: 'function_call', name: 'look', arguments: '{"at":[1]}', call_id: 't1' },
      { type: 'reasoning', summary: [], content: null, encrypted_content: encodeOpaqueState({ redacted: 'EmwK' }) },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
    ]);
  });

  test('with results are outputs and the text around them, and errors are noted', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const results = user(
      { type: 'tool_result', tool_use_id: 'a', content: 'plain' },
      { type: 'tool_result', tool_use_id: 'b', is_error: true, content: [{ type: 'text', text: 'x' }, image] },
      { type: 'tool_result', tool_use_id: 'c' },
      { type: 'tool_result', tool_use_id: 'd', content: [{ type: 'tool_reference', tool_name: 'look' }] },
      { type: 'text', text: 'Go on.' },
    );
    const request = decode({ messages: [hello, results] });
    expect(request.input.slice(1)).toEqual([
      { type: 'function_call_output', call_id: 'a', output: 'plain' },
      {
        type: 'function_call_output',
        call_id: 'b',
        output: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
        ],
      },
      { type: 'function_call_output', call_id: 'c', output: '' },
      { type: 'function_call_output', call_id: 'd', output: 'look' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] },
    ]);
    expect(request.failedCalls).toEqual(new Set(['b']));
  });
});

describe('reasoning that the gateway sealed', () => {
  test.each([
    [
      'thoughts of a server without state',
      'hm',
      null,
      { summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
    ],
    ['state of a chat server', 'hm', encodeOpaqueState({ details: [1] }), { summary: [] }],
    [
      'reasoning that a server encrypted',
      'hm',
      'gAAA',
      { summary: [{ type: 'summary_text', text: 'hm' }], content: null },
    ],
  ])('%s comes back', (_, thinking, encrypted_content, rest) => {
    const signature =
      encrypted_content === 'gAAA'
        ? encodeOpaqueState({ encrypted: 'gAAA' })
        : (encrypted_content ?? encodeOpaqueState({}));
    const [item] = items(assistant({ type: 'thinking', thinking, signature }));
    expect(item).toMatchObject({ type: 'reasoning', encrypted_content, ...rest });
  });

  test('comes back without a text too', () => {
    const data = encodeOpaqueState({ encrypted: 'gAAA' });
    expect(items(assistant({ type: 'redacted_thinking', data }))).toEqual([
      { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAA' },
    ]);
  });
});

test.each([
  [{ messages: 1 }, 'The field messages of the request must be an array.'],
  [
    { messages: [{ role: 'tool' }] },
    'The field messages[0].role of the request must be "user", "assistant" or "system".',
  ],
  [
    { messages: [{ role: 'user' }] },
    'The field messages[0].content of the request must be a string or an array of blocks.',
  ],
  [
    { messages: [assistant({ type: 'text', text: 'a' }, { type: 'tool_use', id: 't' })] },
    'The field messages[0].content[1].name of the request must be a string.',
  ],
  [
    { messages: [user({ type: 'tool_result' })] },
    'The field messages[0].content[0].tool_use_id of the request must be a string.',
  ],
  [{ model: 7 }, 'The field model of the request must be a string.'],
  [{ system: 7 }, 'The field system of the request must be a string or an array of blocks.'],
  [{ tools: [{ input_schema: {} }] }, 'The field tools[0].name of the request must be a string.'],
  [{ thinking: 'on' }, 'The field thinking of the request must be an object.'],
  [{ output_format: { type: 'xml' } }, 'The field output_format.type of the request must be "json_schema".'],
])('%j is refused with a sentence', (fields, message) => {
  expect(() => decode(fields)).toThrow(message);
});
