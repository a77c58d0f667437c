import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import { decodeOpaqueState } from '../opaque/opaque-state.ts';
import { decodeRequest } from './decode-request.ts';

const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const decode = (fields: object = {}) => decodeRequest({ ...body, ...fields });
const items = (...messages: object[]) => decode({ messages }).input;
const hi: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };

describe('a request', () => {
  test('needs a model and messages, the rest has defaults', () => {
    expect(decode()).toEqual({
      model: 'm',
      instructions: '',
      input: [hi],
      tools: [],
      toolChoice: 'auto',
      parallelToolCalls: true,
      reasoning: {},
      store: false,
      include: [],
    });
  });

  test('has settings, and null counts as absent', () => {
    const json_schema = { name: 'answer', strict: true, schema: { type: 'object' } };
    const settings = {
      parallel_tool_calls: false,
      reasoning_effort: 'low',
      verbosity: 'high',
      response_format: { type: 'json_schema', json_schema },
      store: true,
      prompt_cache_key: 'k',
      temperature: 1,
      max_tokens: 5,
    };
    expect(decode(settings)).toMatchObject({
      parallelToolCalls: false,
      reasoning: { effort: 'low' },
      text: { verbosity: 'high', schema: json_schema },
      store: true,
      cacheKey: 'k',
      sampling: { temperature: 1, maxOutputTokens: 5 },
    });
    expect(decode(Object.fromEntries(Object.keys(settings).map((name) => [name, null])))).toEqual(decode());
    expect(decode({ response_format: { type: 'text' } })).toEqual(decode());
    expect(decode({ response_format: { type: 'json_object' } }).text?.schema).toMatchObject({
      schema: { type: 'object' },
    });
    expect(decode({ reasoning: { effort: 'high' } }).reasoning).toEqual({ effort: 'high' });
    expect(decode({ response_format: { type: 'json_schema', ...json_schema } }).text).toEqual({ schema: json_schema });
  });

  test('has sampling settings, under any of their names', () => {
    const fields = {
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 7,
      max_tokens: 5,
      stop: 'END',
      seed: 3,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      service_tier: 'flex',
      user: 'u',
      logit_bias: { '1': 2 },
    };
    expect(decode(fields).sampling).toEqual({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 7,
      stop: ['END'],
      seed: 3,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      serviceTier: 'flex',
      user: 'u',
    });
    expect(decode({ stop: ['a', 'b'] }).sampling).toEqual({ stop: ['a', 'b'] });
  });

  test.each([
    ['auto', 'auto'],
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'function', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'f' } },
      { type: 'custom', name: 'f' },
    ],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } }, 'required'],
    [{ type: 'web_search' }, 'auto'],
  ])('chooses tools: %j', (tool_choice, read) => {
    expect(decode({ tool_choice }).toolChoice).toEqual(read);
  });

  test('has tools of every kind', () => {
    const grammar = { syntax: 'lark', definition: 'g' };
    const tools = [
      { type: 'function', function: { name: 'a', description: 'A.', strict: true, parameters: { type: 'object' } } },
      { type: 'function', function: { name: 'b', description: null } },
      { type: 'function', name: 'c', description: 'C.', parameters: {} },
      { type: 'custom', custom: { name: 'd', description: 'D.', format: { type: 'grammar', grammar } } },
      { type: 'custom', custom: { name: 'e', format: { type: 'text' } } },
      { type: 'web_search', filters: {} },
    ];
    expect(decode({ tools }).tools).toEqual([
      { type: 'function', name: 'a', description: 'A.', strict: true, parameters: { type: 'object' } },
      { type: 'function', name: 'b', description: '', strict: false, parameters: {} },
      { type: 'function', name: 'c', description: 'C.', strict: false, parameters: {} },
      { type: 'custom', name: 'd', description: 'D.', format: { type: 'grammar', ...grammar } },
      { type: 'custom', name: 'e', description: '', format: { type: 'text' } },
      { type: 'web_search', filters: {} },
    ]);
  });
});

describe('messages', () => {
  test.each(['system', 'developer'])('a %s message at the beginning holds the instructions', (role) => {
    expect(decode({ messages: [{ role, content: 'Be brief.' }, ...body.messages] })).toMatchObject({
      instructions: 'Be brief.',
      input: [hi],
    });
    expect(
      decode({
        messages: [
          {
            role,
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      }),
    ).toMatchObject({
      instructions: 'a\n\nb',
      input: [],
    });
  });

  test('a later system message is a developer message', () => {
    expect(items(...body.messages, { role: 'system', content: 'now' })).toEqual([
      hi,
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'now' }] },
    ]);
  });

  test('a user message may have images and sounds', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'x', format: 'wav' } };
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'u', detail: 'low' } },
      { type: 'image_url', image_url: 'v' },
      audio,
      { type: 'hologram' },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,x', filename: 'a.pdf' } },
    ];
    expect(items({ role: 'user', content })).toMatchObject([
      {
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'u', detail: 'low' },
          { type: 'input_image', image_url: 'v' },
          audio,
          { type: 'input_file', file_data: 'data:application/pdf;base64,x', filename: 'a.pdf' },
        ],
      },
    ]);
  });

  test('an assistant message has reasoning, text and calls', () => {
    const tool_calls = [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      { id: 'b', type: 'custom', custom: { name: 'g', input: 'x' } },
    ];
    const image = { type: 'image_url', image_url: { url: 'u' } };
    expect(
      items(
        { role: 'assistant', content: 'I look.', reasoning_content: 'hm', tool_calls },
        { role: 'tool', tool_call_id: 'a', content: 'out' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'one' }] },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'see' }, image] },
        { role: 'assistant', content: null, refusal: 'no', reasoning: 'so' },
        { role: 'assistant', content: '', tool_calls: [] },
      ),
    ).toEqual([
      thought('hm'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', name: 'f', arguments: '{}', call_id: 'a' },
      { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'x' },
      { type: 'function_call_output', call_id: 'a', output: 'out' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'one' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'u' },
        ],
      },
      thought('so'),
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    ]);
  });
});

test('opaque state of an assistant message is kept with its reasoning', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'x' }];
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: { s: 1 } };
  const [thought] = items({ role: 'assistant', content: null, reasoning_details: details, tool_calls: [call] });
  expect(thought).toMatchObject({ type: 'reasoning', summary: [], content: null });
  expect(thought?.type === 'reasoning' && decodeOpaqueState(thought.encrypted_content)).toEqual({
    details,
    extra: new Map([['a', { s: 1 }]]),
  });
});

test('a tool without a type is a function', () => {
  const tool = { name: 'f', description: 'F.', parameters: { type: 'object' } };
  const messages = [{ role: 'user', content: 'Hi' }];
  const decoded = decodeRequest({ model: 'm', messages, tools: [{ function: tool }], tool_choice: 'any' });
  expect(decoded).toMatchObject({ tools: [{ type: 'function', ...tool, strict: false }], toolChoice: 'required' });
});

describe('invalid requests', () => {
  test.each([
    [undefined, 'The body of the request must be a JSON object.'],
    [{ messages: [] }, 'The field model of the request must be a string.'],
    [{ model: 'm' }, 'The field messages of the request must be an array.'],
    [wrong({ role: 'wizard' }), 'messages[0].role'],
    [wrong({ role: 'user' }), 'The field messages[0].content of the request must be a string or an array of parts.'],
    [wrong({ role: 'user', content: [{ type: 'hologram' }] }), 'messages[0].content'],
    [wrong({ role: 'tool', content: 'x' }), 'messages[0].tool_call_id'],
    [
      wrong({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] }),
      'messages[0].tool_calls[0].function.arguments',
    ],
    [{ ...body, tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    [{ ...body, tool_choice: 'some' }, 'tool_choice'],
    [{ ...body, response_format: { type: 'xml' } }, 'response_format'],
    [{ ...body, temperature: '1' }, 'The field temperature of the request must be a number.'],
    [{ ...body, max_tokens: '1' }, 'The field max_tokens of the request must be a number.'],
    [{ ...body, stop: 1 }, 'The field stop of the request must be a string or an array of strings.'],
    [{ ...body, stop: [1] }, 'The field stop[0] of the request must be a string.'],
    [{ ...body, user: {} }, 'The field user of the request must be a string.'],
    [{ ...body, reasoning_effort: 1 }, 'The field reasoning_effort of the request must be a string.'],
    [{ ...body, tools: [{ type: 'function', name: 'f', parameters: 'x' }] }, 'tools[0].parameters'],
  ])('%j is refused with a sentence', (value, sentence) => {
    expect(() => decodeRequest(value)).toThrow(UserError);
    expect(() => decodeRequest(value)).toThrow(sentence);
  });

  function wrong(message: object): object {
    return { model: 'm', messages: [message] };
  }
});

function thought(text: string): Item {
  return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }], encrypted_content: null };
}
