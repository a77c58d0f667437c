import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { UserError } from '../../base/errors.ts';
import { itemText } from '../../base/item-text.ts';
import { wholeText } from '../../base/request-text.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { fixtures } from './fixtures/conformance.ts';

test('the items of a request survive encoding and decoding, character by character', () => {
  fc.assert(
    fc.property(fixtures.anyRequest, (request) => {
      const decoded = decodeRequest(JSON.parse(wholeText(encodeRequest(request, DEFAULT_COMPAT))));
      expect(decoded.input.map(itemText)).toEqual(request.input.map(itemText));
    }),
    { numRuns: runs(300) },
  );
});

describe('requests of clients', () => {
  const input = (value: unknown) => decodeRequest({ model: 'm', input: value }).input;

  test('a minimal request gets the defaults of the protocol', () => {
    expect(decodeRequest({ model: 'm', input: 'hi' })).toStrictEqual({
      model: 'm',
      instructions: '',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      tools: [],
      toolChoice: 'auto',
      parallelToolCalls: true,
      reasoning: {},
      store: true,
      include: [],
    });
  });

  test('null stands for an absent field', () => {
    const nulls = { instructions: null, tools: null, tool_choice: null, reasoning: { effort: null }, text: {} };
    expect(decodeRequest({ model: 'm', input: 'hi', ...nulls, client_metadata: null })).toStrictEqual(
      decodeRequest({ model: 'm', input: 'hi' }),
    );
  });

  test('messages may lack a type and have a string for content', () => {
    expect(
      input([
        { role: 'system', content: 'rules' },
        { role: 'assistant', content: 'yes' },
      ]),
    ).toEqual([
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'rules' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
    ]);
  });

  test('an output that is an object becomes its text', () => {
    const output = { content: 'Hello', success: true };
    expect(input([{ type: 'function_call_output', call_id: 'c', output }])).toEqual([
      { type: 'function_call_output', call_id: 'c', output: 'Hello' },
    ]);
  });

  test('items of unknown types are dropped and the others stay in order', () => {
    const call = { type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' };
    expect(input([{ type: 'crystal_ball_call' }, call, { type: 'item_reference', id: 'x' }])).toEqual([call]);
  });

  test('tools of every kind are kept, and missing fields of functions are filled in', () => {
    const kept = [
      { type: 'web_search', external_web_access: false },
      { type: 'namespace', name: 'n', tools: [] },
      { type: 'future_tool', some: 'setting' },
    ];
    const { tools } = decodeRequest({
      model: 'm',
      input: '',
      tools: [...kept, { type: 'function', name: 'f', parameters: null, defer_loading: true }],
    });
    expect(tools).toEqual([
      ...kept,
      { type: 'function', name: 'f', description: '', strict: false, parameters: {}, defer_loading: true },
    ]);
  });

  test('tools among the items are read as tools', () => {
    const exec = { type: 'custom', name: 'exec', description: 'Runs.' };
    const tools = [
      { type: 'namespace', name: 'functions', tools: [exec] },
      { type: 'function', name: 'g' },
    ];
    const request = decodeRequest({
      model: 'm',
      input: [
        { type: 'additional_tools', role: 'developer', tools },
        { role: 'user', content: 'hi' },
      ],
      tools: [{ type: 'function', name: 'f' }],
    });
    expect(request.input).toMatchObject([{ type: 'message', role: 'user' }]);
    expect(request.tools).toEqual([
      { type: 'function', name: 'f', description: '', strict: false, parameters: {} },
      tools[0],
      { type: 'function', name: 'g', description: '', strict: false, parameters: {} },
    ]);
  });

  test('tools in the form of the chat wire are read', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'g' } };
    const tools = [
      { type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object' } } },
      { type: 'custom', custom: { name: 'g', format } },
    ];
    expect(decodeRequest({ model: 'm', input: '', tools }).tools).toEqual([
      { type: 'function', name: 'f', description: 'F.', strict: false, parameters: { type: 'object' } },
      { type: 'custom', name: 'g', description: '', format: { type: 'grammar', syntax: 'lark', definition: 'g' } },
    ]);
  });

  test('parts in the form of the chat wire are read', () => {
    const content = [
      { type: 'text', text: 'a' },
      'b',
      { type: 'image_url', image_url: { url: 'u', detail: 'low' } },
      { type: 'input_image', image_url: { url: 'v' } },
      { type: 'input_image', file_id: 'file-1' },
      { type: 'file', file: { file_data: 'x', filename: 'a.pdf' } },
      { type: 'input_file', file_url: 'w' },
      { type: 'input_audio', input_audio: { data: 'y', format: 'wav' } },
    ];
    expect(input([{ role: 'user', content }])).toMatchObject([
      {
        content: [
          { type: 'input_text', text: 'a' },
          { type: 'input_text', text: 'b' },
          { type: 'input_image', image_url: 'u', detail: 'low' },
          { type: 'input_image', image_url: 'v' },
          { type: 'input_file', file_id: 'file-1' },
          { type: 'input_file', file_data: 'x', filename: 'a.pdf' },
          { type: 'input_file', file_url: 'w' },
          { type: 'input_audio', input_audio: { data: 'y', format: 'wav' } },
        ],
      },
    ]);
    expect(input([{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }])).toMatchObject([
      { content: [{ type: 'output_text', text: 'a' }] },
    ]);
  });

  test.each([
    ['text', 'text'],
    [[{ type: 'text', text: 'one' }], 'one'],
    [
      [
        { type: 'input_text', text: 'a' },
        { type: 'image_url', image_url: { url: 'u' } },
      ],
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'u' },
      ],
    ],
    [{ ok: true }, '{"ok":true}'],
    [7, '7'],
    [null, ''],
  ])('an output %j is read as %j', (output, read) => {
    for (const type of ['function_call_output', 'custom_tool_call_output'])
      expect(input([{ type, call_id: 'c', output }])).toEqual([{ type, call_id: 'c', output: read }]);
    expect(input([{ type: 'local_shell_call_output', id: 'c', output }])).toMatchObject([
      { type: 'function_call_output', call_id: 'c', output: read },
    ]);
  });

  test('reasoning of any origin is kept', () => {
    const summary = [{ type: 'summary_text', text: 's' }];
    expect(
      input([
        { type: 'reasoning', id: 'rs_1', status: 'completed', summary, encrypted_content: 'sealed' },
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'raw' }] },
      ]),
    ).toEqual([
      { type: 'reasoning', id: 'rs_1', summary, content: null, encrypted_content: 'sealed' },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }], encrypted_content: null },
    ]);
  });

  test('the settings of a client are read, and unknown ones ignored', () => {
    const request = decodeRequest({
      model: 'm',
      input: '',
      temperature: 0,
      top_p: 1,
      max_output_tokens: 9,
      service_tier: 'priority',
      user: 'u',
      previous_response_id: 'resp_1',
      text: { format: { type: 'json_object' } },
      tool_choice: { type: 'file_search' },
      truncation: 'auto',
      background: false,
    });
    expect(request).toMatchObject({
      sampling: { temperature: 0, topP: 1, maxOutputTokens: 9, serviceTier: 'priority', user: 'u' },
      previousResponseId: 'resp_1',
      text: { schema: { schema: { type: 'object' } } },
      toolChoice: 'auto',
    });
    const json_schema = { name: 'a', strict: true, schema: {} };
    const nested = decodeRequest({ model: 'm', input: '', text: { format: { type: 'json_schema', json_schema } } });
    expect(nested.text).toEqual({ schema: json_schema });
  });

  test('plain text as the output format means no schema', () => {
    const request = decodeRequest({ model: 'm', input: '', text: { format: { type: 'text' }, verbosity: 'low' } });
    expect(request.text).toStrictEqual({ verbosity: 'low' });
  });
});

test.each([
  [[], 'The body of the request must be a JSON object.'],
  [{ input: '' }, 'The field model of the request must be a string.'],
  [{ model: 'm' }, 'The field input of the request must be a string or an array of items.'],
  [{ model: 'm', input: [1] }, 'The field input[0] of the request must be an object.'],
  [{ model: 'm', input: [{ id: 'x' }] }, 'The field input[0].type of the request must be a string.'],
  [
    { model: 'm', input: ['function_call'].map((type) => ({ type, name: 'f', arguments: {} })) },
    'The field input[0] of the request must be a complete item of type "function_call".',
  ],
  [
    { model: 'm', input: [{ role: 'user', content: [{ type: 'hologram' }] }] },
    'The field input[0] of the request must be a complete item of type "message".',
  ],
  [{ model: 'm', input: '', tools: [{}] }, 'The field tools[0].type of the request must be a string.'],
  [
    { model: 'm', input: '', tools: [{ type: 'function' }] },
    'The field tools[0].name of the request must be a string.',
  ],
  [{ model: 'm', input: '', include: [1] }, 'The field include[0] of the request must be a string.'],
  [{ model: 'm', input: '', store: 'no' }, 'The field store of the request must be true or false.'],
  [{ model: 'm', input: '', reasoning: { effort: 3 } }, 'The field reasoning.effort of the request must be a string.'],
  [{ model: 'm', input: '', temperature: 'hot' }, 'The field temperature of the request must be a number.'],
  [{ model: 'm', input: '', max_output_tokens: '9' }, 'The field max_output_tokens of the request must be a number.'],
  [
    { model: 'm', input: '', previous_response_id: 1 },
    'The field previous_response_id of the request must be a string.',
  ],
  [
    { model: 'm', input: [{ type: 'additional_tools', tools: [{ type: 'function' }] }] },
    'The field input[0].tools[0].name of the request must be a string.',
  ],
  [
    { model: 'm', input: '', client_metadata: { a: 1 } },
    'The field client_metadata.a of the request must be a string.',
  ],
  [
    { model: 'm', input: '', text: { format: { type: 'xml' } } },
    'The field text.format of the request must be of type "text", "json_object" or "json_schema".',
  ],
])('a wrong shape is named: %j', (body, message) => {
  expect(() => decodeRequest(body)).toThrow(new UserError('invalid_input', message));
});
