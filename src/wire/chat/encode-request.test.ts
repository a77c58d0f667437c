import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelRequest } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { encodeRequest } from './encode-request.ts';

const message: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };

const shellParameters = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The command to execute.' },
    workdir: { type: 'string', description: 'The working directory to execute the command in.' },
    timeout_ms: { type: 'number', description: 'The timeout for the command in milliseconds.' },
    with_escalated_permissions: { type: 'boolean', description: 'Whether to request escalated permissions.' },
    justification: { type: 'string', description: 'A justification for running with escalated permissions.' },
  },
  required: ['command'],
  additionalProperties: false,
};
const shell: ToolSpec = {
  type: 'function',
  name: 'shell',
  description: 'Runs.',
  strict: false,
  parameters: shellParameters,
};

const request: ModelRequest = {
  model: 'm',
  instructions: 'Be brief.',
  input: [message],
  tools: [shell],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: { summary: 'auto' },
  text: { verbosity: 'low' },
  store: false,
  include: ['reasoning.encrypted_content'],
  cacheKey: 'thread',
  metadata: { turn_id: 't' },
};

const body = (changes: Partial<ModelRequest> = {}, compat = DEFAULT_COMPAT) =>
  JSON.parse(wholeText(encodeRequest({ ...request, ...changes }, compat)));
const functions = (...tools: ToolSpec[]) =>
  body({ tools }).tools?.map((tool: { type: string; function: object }) => {
    expect(tool).toEqual({ type: 'function', function: tool.function });
    return tool.function;
  });

describe('the body of a request', () => {
  test('has only the fields that every server knows', () => {
    expect(Object.entries(body())).toEqual(
      Object.entries({
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
        tools: [
          {
            type: 'function',
            function: { name: 'shell', description: 'Runs.', strict: false, parameters: shellParameters },
          },
        ],
        tool_choice: 'auto',
        parallel_tool_calls: true,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
  });

  test('asks for any object in the form that more servers know', () => {
    const schema = { name: 'json_object', strict: false, schema: { type: 'object' }, anyObject: true } as const;
    expect(body({ text: { schema } }).response_format).toEqual({ type: 'json_object' });
  });

  test('has sampling settings where the request has them', () => {
    const sampling = { temperature: 0, topP: 0.5, maxOutputTokens: 9, stop: ['a'], seed: 1, serviceTier: 'flex' };
    const more = { presencePenalty: 0.1, frequencyPenalty: 0.2, user: 'u' };
    expect(body({ sampling: { ...sampling, ...more } })).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      stop: ['a'],
      seed: 1,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      service_tier: 'flex',
      user: 'u',
    });
    expect(body({ sampling: {}, previousResponseId: 'r' })).toEqual(body());
  });

  test('has an effort and a schema where the request has them', () => {
    const schema = { name: 'answer', strict: true, schema: { type: 'object' } };
    expect(body({ reasoning: { effort: 'high' }, text: { schema } })).toMatchObject({
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: schema },
    });
  });

  test('has no tool fields if the wire can carry none of the tools', () => {
    for (const tools of [[], [{ type: 'web_search' }], [{ type: 'namespace', name: 'n' }]] as ToolSpec[][]) {
      const keys = Object.keys(body({ tools }));
      expect(keys).toEqual(['model', 'messages', 'stream', 'stream_options']);
    }
  });

  test('has no system message without instructions', () => {
    expect(body({ instructions: '' }).messages).toEqual([{ role: 'user', content: 'hi' }]);
    expect(body({}, { ...DEFAULT_COMPAT, instructions: 'item' }).messages[0].role).toBe('system');
  });

  test.each([
    ['none', 'none'],
    ['required', 'required'],
    [
      { type: 'function', name: 'shell' },
      { type: 'function', function: { name: 'shell' } },
    ],
    [
      { type: 'custom', name: 'patch' },
      { type: 'function', function: { name: 'patch' } },
    ],
  ] as const)('chooses tools: %j', (toolChoice, sent) => {
    expect(body({ toolChoice }).tool_choice).toEqual(sent);
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('allows parallel calls only when request (%s) and server (%s) do', (asked, able, sent) => {
    const compat = { ...DEFAULT_COMPAT, parallelToolCalls: able };
    expect(body({ parallelToolCalls: asked }, compat).parallel_tool_calls).toBe(sent);
  });
});

describe('tools of other kinds', () => {
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string', description: expect.any(String) } },
    required: ['input'],
    additionalProperties: false,
  };

  test('a custom tool is a function with one text, and its description has the grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
    expect(
      functions(
        { type: 'custom', name: 'a', description: 'Does.', format },
        { type: 'custom', name: 'b', description: 'Does.', format: { type: 'text' } },
        { type: 'custom', name: 'c', description: '', format: { definition: 'g' } },
      ),
    ).toEqual([
      {
        name: 'a',
        description: 'Does.\n\nThe input must follow this lark grammar:\nstart: "x"',
        strict: false,
        parameters,
      },
      { name: 'b', description: 'Does.', strict: false, parameters },
      { name: 'c', description: 'The input must follow this grammar:\ng', strict: false, parameters },
    ]);
  });

  test('the local shell is a function named shell, unless that name is declared', () => {
    expect(functions({ type: 'local_shell' })).toEqual([
      { name: 'shell', description: expect.any(String), strict: false, parameters: shellParameters },
    ]);
    expect(functions({ type: 'local_shell' }, shell)).toMatchObject([{ name: 'shell', description: 'Runs.' }]);
    expect(functions(shell, { type: 'local_shell' })).toMatchObject([{ name: 'shell', description: 'Runs.' }]);
  });

  test('a namespace is flattened', () => {
    const tools = [
      { type: 'function', name: 'find', description: 'Finds.', strict: true, parameters: { type: 'object' } },
      { type: 'custom', name: 'ask', description: 'Asks.' },
      { type: 'function', name: 'bare' },
      { type: 'web_search' },
      'nonsense',
    ];
    expect(functions({ type: 'namespace', name: 'docs', tools })).toEqual([
      { name: 'docs__find', description: 'Finds.', strict: true, parameters: { type: 'object' } },
      { name: 'docs__ask', description: 'Asks.', strict: false, parameters },
      { name: 'docs__bare', description: '', strict: false, parameters: {} },
    ]);
  });

  test('the default namespace adds nothing, and one that ends in a separator adds no other', () => {
    const tools = [{ type: 'custom', name: 'exec' }];
    expect(functions({ type: 'namespace', name: 'functions', tools })).toMatchObject([{ name: 'exec' }]);
    expect(functions({ type: 'namespace', name: 'mcp__docs__', tools })).toMatchObject([{ name: 'mcp__docs__exec' }]);
  });

  test('a namespace with the name of its tool adds nothing', () => {
    const member = { type: 'function', name: 'f' } as const;
    const tools = [{ type: 'namespace', name: 'f', tools: [member] }];
    expect(functions(...(tools as ToolSpec[]))).toMatchObject([{ name: 'f' }]);
    const own = { type: 'function', name: 'f', description: '', strict: false, parameters: {} } as const;
    expect(functions(own, ...(tools as ToolSpec[]))).toMatchObject([{ name: 'f' }, { name: 'f_2' }]);
  });

  test('tools with equal flat names get different names, in the history too', () => {
    const member = (name: string) => ({ type: 'function', name });
    const tools: ToolSpec[] = [
      { type: 'namespace', name: 'a', tools: [member('b__c'), member('b__c')] },
      { type: 'namespace', name: 'a__b', tools: [member('c')] },
      { type: 'namespace', name: 'a__b__', tools: [member('c')] },
      { ...shell, name: 'a__b__c' },
    ];
    const call = (fields: object): Item =>
      ({ type: 'function_call', arguments: '{}', call_id: 'x', name: 'c', ...fields }) as Item;
    const input = [call({ namespace: 'a__b' }), call({ namespace: 'a', name: 'b__c' }), call({ name: 'a__b__c' })];
    const sent = body({ tools, input });
    const names = ['a__b__c', 'a__b__c_2', 'a__b__c_3', 'a__b__c_4'];
    expect(sent.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(names);
    expect(sent.messages.at(-4)).toMatchObject({
      tool_calls: [names[1], names[0], names[3]].map((name) => ({ function: { name } })),
    });
  });

  test('tools that the server runs are left out', () => {
    expect(functions({ type: 'web_search' }, shell, { type: 'tool_search' })).toMatchObject([{ name: 'shell' }]);
  });
});

describe('consecutive requests', () => {
  test('read each item and the tools once', () => {
    let read = 0;
    /** Counts reads of an object's fields. */
    const watched = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, name, receiver) {
          if (name === 'text' || name === 'output' || name === 'arguments' || name === 'parameters') read++;
          return Reflect.get(target, name, receiver);
        },
      });
    const text = (type: 'input_text' | 'output_text', one: string) => watched({ type, text: one });
    const history: Item[] = [
      { type: 'message', role: 'user', content: [text('input_text', 'hi')] },
      { type: 'message', role: 'assistant', content: [text('output_text', 'I look.')] },
      watched<Item>({ type: 'function_call', name: 'f', call_id: 'c', arguments: '{}' }),
      { type: 'function_call_output', call_id: 'c', output: [text('input_text', 'out')] },
    ];
    const changes = { input: history, tools: [watched(shell)] };
    const first = body(changes);
    const before = read;
    expect(before).toBeGreaterThan(4);
    expect(body(changes)).toEqual(first);
    expect(body({ ...changes, input: [...history, message] }).messages).toEqual([
      ...first.messages,
      { role: 'user', content: 'hi' },
    ]);
    expect(read).toBe(before);
  });

  test('decode the opaque state of a reasoning item once', () => {
    let read = 0;
    const item: Item = {
      type: 'reasoning',
      summary: [],
      content: null,
      encrypted_content: encodeOpaqueState({ details: [{ toldOnce: 1 }], extra: new Map([['c', { toldOnce: 2 }]]) }),
    };
    const watched = new Proxy(item, {
      get(target, name, receiver) {
        if (name === 'summary') read++;
        return Reflect.get(target, name, receiver);
      },
    });
    const call: Item = { type: 'function_call', name: 'f', call_id: 'c', arguments: '{}' };
    const first = wholeText(encodeRequest({ ...request, input: [message, watched, call] }, DEFAULT_COMPAT));
    expect(first.match(/toldOnce/g)).toHaveLength(2);
    expect(wholeText(encodeRequest({ ...request, input: [message, watched, call] }, DEFAULT_COMPAT))).toBe(first);
    expect(read).toBe(1);
  });

  test('share their bytes up to the end of the older history', () => {
    const older = wholeText(encodeRequest(request, DEFAULT_COMPAT));
    const call: Item = { type: 'function_call', name: 'f', call_id: 'c', arguments: '{}' };
    const newer = wholeText(encodeRequest({ ...request, input: [message, call] }, DEFAULT_COMPAT));
    const history = older.slice(0, older.indexOf('],"tools"'));
    expect(history.length).toBeGreaterThan(50);
    expect(newer.startsWith(`${history},{"role":"assistant"`)).toBe(true);
  });
});
