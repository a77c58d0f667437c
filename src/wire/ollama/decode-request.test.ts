import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import { decodeRequest } from './decode-request.ts';

const hi = { role: 'user', content: 'Hi' };
const decode = (fields: object) => decodeRequest({ model: 'm', messages: [hi], ...fields });
const inputOf = (...messages: object[]): readonly Item[] => decode({ messages }).input;
const call = (name: string, args: unknown = {}, id?: string) => ({ id, function: { name, arguments: args } });
const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: '', tool_calls });
const idsOf = (items: readonly Item[]) => items.flatMap((item) => ('call_id' in item ? [item.call_id] : []));

test('a small request has the defaults of the wire', () => {
  expect(decode({})).toEqual({
    model: 'm',
    instructions: '',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
  });
});

test('fields without a meaning for other wires are ignored, and null counts as absent', () => {
  const fields = {
    keep_alive: '5m',
    truncate: true,
    options: { num_ctx: 8192, mirostat: 1 },
    think: null,
    format: null,
  };
  expect(decode({ ...fields, tools: null })).toEqual(decode({}));
});

describe('messages', () => {
  test('begin with the instructions', () => {
    const request = decode({
      messages: [{ role: 'system', content: 'Be brief.' }, hi, { role: 'System', content: 'Now.' }],
    });
    expect(request.instructions).toBe('Be brief.');
    expect(request.input).toMatchObject([{ role: 'user' }, { role: 'developer', content: [{ text: 'Now.' }] }]);
  });

  test('have images, whose type their first bytes tell', () => {
    const images = ['iVBORw0KGgoAA', '/9j/AA', 'R0lGODlh', 'UklGRhIA', 'abc', 'data:image/x;base64,AA'];
    const [shown] = inputOf({ role: 'user', content: '', images });
    expect(shown).toMatchObject({
      content: [
        { image_url: 'data:image/png;base64,iVBORw0KGgoAA' },
        { image_url: 'data:image/jpeg;base64,/9j/AA' },
        { image_url: 'data:image/gif;base64,R0lGODlh' },
        { image_url: 'data:image/webp;base64,UklGRhIA' },
        { image_url: 'data:image/png;base64,abc' },
        { image_url: 'data:image/x;base64,AA' },
      ],
    });
  });

  test('of the assistant are its thoughts, its text and its calls', () => {
    const spoken = {
      role: 'assistant',
      content: 'So.',
      thinking: 'Hm',
      tool_calls: [call('f', { b: 1, a: [2] }, 'c1')],
    };
    expect(inputOf(spoken)).toEqual([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }], encrypted_content: null },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      { type: 'function_call', name: 'f', arguments: '{"b":1,"a":[2]}', call_id: 'c1' },
    ]);
    expect(inputOf(hi, calls(call('f', '{"a":1}'), call('f', null))).slice(1)).toMatchObject([
      { arguments: '{"a":1}' },
      { arguments: '{}' },
    ]);
  });

  test('may have parts, as on other wires', () => {
    expect(
      inputOf({ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, 7] }),
    ).toMatchObject([{ content: [{ text: 'ab' }] }]);
  });
});

describe('results', () => {
  const result = (fields: object) => ({ role: 'tool', content: 'ok', ...fields });

  test('belong to the call with their id', () => {
    const items = inputOf(
      calls(call('f', {}, 'a'), call('f', {}, 'b')),
      result({ tool_call_id: 'b', tool_name: 'f' }),
      result({ tool_call_id: 'a' }),
    );
    expect(idsOf(items)).toEqual(['a', 'b', 'b', 'a']);
  });

  test('without an id belong to the first waiting call of their tool', () => {
    const items = inputOf(
      calls(call('f'), call('g'), call('f')),
      result({ tool_name: 'f' }),
      result({ tool_name: 'f' }),
      result({ tool_name: 'g' }),
    );
    const [first, second, third, ...answers] = idsOf(items);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(answers).toEqual([first, third, second]);
  });

  test('without a name belong to the first waiting call', () => {
    const items = inputOf(
      calls(call('f'), call('g')),
      result({}),
      result({}),
      hi,
      calls(call('f')),
      result({ name: 'h' }),
    );
    const [first, second, ...rest] = idsOf(items);
    expect(rest).toEqual([first, second, rest[2], rest[2]]);
    expect(rest[2]).not.toBe(first);
  });

  test('without a call keep their text, under an id of their own', () => {
    expect(inputOf(result({ tool_call_id: 'x' }))).toEqual([
      { type: 'function_call_output', call_id: 'x', output: 'ok' },
    ]);
    expect(idsOf(inputOf(result({}), result({})))).toHaveLength(2);
    expect(new Set(idsOf(inputOf(result({}), result({})))).size).toBe(2);
  });

  test('keep their images', () => {
    expect(inputOf(calls(call('f')), result({ content: '', images: ['/9j/x'] }))).toMatchObject([
      {},
      { output: [{ type: 'input_image' }] },
    ]);
  });

  test('have the same ids when the history grows', () => {
    const history = [hi, calls(call('f'), call('f')), result({}), result({})];
    const [short, long] = [inputOf(...history), inputOf(...history, hi, calls(call('f')))];
    expect(long.slice(0, short.length)).toEqual(short);
    expect(new Set(idsOf(long)).size).toBe(3);
  });
});

test.each([
  [true, 'medium'],
  [false, 'none'],
  ['low', 'low'],
  ['max', 'max'],
])('think %j is the effort %s', (think, effort) => {
  expect(decode({ think }).reasoning).toEqual({ effort });
});

test('the format is a schema, any object, or text', () => {
  const schema = { type: 'object' };
  expect(decode({ format: schema }).text).toEqual({ schema: { name: 'answer', strict: false, schema } });
  expect(decode({ format: 'json' }).text?.schema).toMatchObject({ anyObject: true });
  expect(decode({ format: '' })).not.toHaveProperty('text');
});

test('options are sampling settings, and a negative number of tokens is no limit', () => {
  const options = {
    temperature: 0,
    top_p: 1,
    top_k: 40,
    num_predict: 5,
    stop: 'END',
    seed: 1,
    presence_penalty: 2,
    frequency_penalty: 3,
  };
  expect(decode({ options }).sampling).toEqual({
    temperature: 0,
    topP: 1,
    topK: 40,
    maxOutputTokens: 5,
    stop: ['END'],
    seed: 1,
    presencePenalty: 2,
    frequencyPenalty: 3,
  });
  expect(decode({ options: { num_predict: -1 } })).not.toHaveProperty('sampling');
  expect(decode({ options: { num_predict: -2, seed: 1 } }).sampling).toEqual({ seed: 1 });
});

test('tools are functions', () => {
  const tool = { type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object' } } };
  expect(decode({ tools: [tool, { function: { name: 'g' } }] }).tools).toEqual([
    { type: 'function', name: 'f', description: 'F.', strict: false, parameters: { type: 'object' } },
    { type: 'function', name: 'g', description: '', strict: false, parameters: {} },
  ]);
});

test.each([
  [{ messages: 'hi' }, 'messages of the request must be an array'],
  [{ messages: [] }, 'messages of the request must be a list of messages. The server of this model cannot load it'],
  [{ messages: undefined }, 'messages of the request must be'],
  [{ messages: [{ role: 'robot', content: '' }] }, 'messages[0].role of the request must be "system"'],
  [{ messages: [{ content: 'x' }] }, 'messages[0].role of the request must be a string'],
  [{ messages: [{ role: 'user', content: 7 }] }, 'messages[0].content of the request must be a string'],
  [{ messages: [calls({})] }, 'messages[0].tool_calls[0].function of the request must be an object'],
  [
    { messages: [calls(call('f', 7))] },
    'messages[0].tool_calls[0].function.arguments of the request must be an object',
  ],
  [{ model: 7 }, 'model of the request must be a string'],
  [{ think: 7 }, 'think of the request must be true, false'],
  [{ format: 'xml' }, 'format of the request must be "json" or a JSON schema'],
  [{ options: [] }, 'options of the request must be an object'],
  [{ options: { temperature: 'hot' } }, 'temperature of the request must be a number'],
])('%j is refused', (fields, said) => {
  expect(() => decode(fields)).toThrow(`The field ${said}`);
});
