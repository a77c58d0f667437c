import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelRequest } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { type Compat, DEFAULT_COMPAT } from '../../base/wire.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { canonicalItem } from './canonical-item.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

const message: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const tool: ToolSpec = { type: 'function', name: 'shell', description: 'Runs.', strict: false, parameters: {} };

const request: ModelRequest = {
  model: 'm',
  instructions: 'Be brief.',
  input: [message],
  tools: [tool],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: ['reasoning.encrypted_content'],
};

const encode = (changes: Partial<ModelRequest> = {}, compat = DEFAULT_COMPAT) =>
  wholeText(encodeRequest({ ...request, ...changes }, compat));

describe('the body of a request', () => {
  test('has its fields in a fixed order, without absent ones', () => {
    expect(encode()).toBe(
      '{"model":"m","instructions":"Be brief.",' +
        '"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],' +
        '"tools":[{"type":"function","name":"shell","description":"Runs.","strict":false,"parameters":{}}],' +
        '"tool_choice":"auto","parallel_tool_calls":true,"reasoning":{},"store":false,"stream":true,' +
        '"include":["reasoning.encrypted_content"]}',
    );
  });

  test('ends with the optional fields, each in its own shape', () => {
    const body = encode({
      instructions: '',
      input: [],
      tools: [],
      toolChoice: { type: 'function', name: 'shell' },
      reasoning: { summary: 'auto', effort: 'high' },
      include: [],
      cacheKey: 'thread',
      text: { schema: { name: 'answer', strict: true, schema: { type: 'object' } }, verbosity: 'low' },
      metadata: { turn_id: 't' },
    });
    expect(body).toBe(
      '{"model":"m","input":[],"tools":[],"tool_choice":{"type":"function","name":"shell"},"parallel_tool_calls":true,' +
        '"reasoning":{"effort":"high","summary":"auto"},"store":false,"stream":true,"include":[],' +
        '"prompt_cache_key":"thread","text":{"verbosity":"low","format":{"type":"json_schema","strict":true,' +
        '"schema":{"type":"object"},"name":"answer"}},"client_metadata":{"turn_id":"t"}}',
    );
  });

  test('has sampling settings and the previous response where the request has them', () => {
    const sampling = { temperature: 0, topP: 0.5, maxOutputTokens: 9, serviceTier: 'flex', user: 'u' };
    const body = encode({ sampling: { ...sampling, stop: ['x'], seed: 1 }, previousResponseId: 'resp_1' });
    expect(body).toBe(
      `${encode().slice(0, -1)},"previous_response_id":"resp_1","temperature":0,"top_p":0.5,"max_output_tokens":9,` +
        '"service_tier":"flex","user":"u"}',
    );
  });

  test('asks for any object in the form of the protocol', () => {
    const schema = { name: 'json_object', strict: false, schema: { type: 'object' }, anyObject: true } as const;
    expect(JSON.parse(encode({ text: { schema } })).text).toEqual({ format: { type: 'json_object' } });
  });

  test('has no text settings when neither verbosity nor schema are asked for', () => {
    expect(encode({ text: {} })).toBe(encode());
    expect(JSON.parse(encode({ text: { verbosity: 'high' } })).text).toEqual({ verbosity: 'high' });
  });

  test('has the instructions as the first item where the server wants them there', () => {
    const body = JSON.parse(encode({}, { ...DEFAULT_COMPAT, instructions: 'item' }));
    expect(body).not.toHaveProperty('instructions');
    expect(body.input).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      message,
    ]);
    const none = JSON.parse(encode({ instructions: '' }, { ...DEFAULT_COMPAT, instructions: 'item' }));
    expect(none.input).toEqual([message]);
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('allows parallel calls only when request (%s) and server (%s) do', (asked, able, sent) => {
    const body = encode({ parallelToolCalls: asked }, { ...DEFAULT_COMPAT, parallelToolCalls: able });
    expect(JSON.parse(body).parallel_tool_calls).toBe(sent);
  });
});

const call = (call_id: string): Item => ({ type: 'function_call', name: 'f', arguments: '{}', call_id });
const output = (call_id: string): Item => ({ type: 'function_call_output', call_id, output: 'ok' });
const sentInput = (input: readonly Item[], changes: Partial<Compat> = {}) =>
  JSON.parse(encode({ input }, { ...DEFAULT_COMPAT, ...changes })).input;

describe('ids of calls', () => {
  const long = 'x'.repeat(65);

  test('that are too long are shortened on both sides, and nothing else changes', () => {
    const [sent, answer, other] = sentInput([call(long), output(long), call('x'.repeat(64))]);
    expect(sent.call_id).toMatch(/^call_[0-9a-f]{28}$/);
    expect(sent).toEqual({ ...call(long), call_id: sent.call_id });
    expect(answer).toEqual({ ...output(long), call_id: sent.call_id });
    expect(other).toEqual(call('x'.repeat(64)));
  });

  test('are nine letters and digits where the server requires it, for every kind of call', () => {
    const kinds: Item[] = [
      call('a'),
      output('a'),
      { type: 'custom_tool_call', call_id: 'b', name: 'p', input: '' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: [] } },
      output('c'),
      { type: 'tool_search_call', call_id: 'd' },
      { type: 'tool_search_output', call_id: 'd' },
    ];
    const ids: string[] = sentInput(kinds, { callIds: 'nine' }).map((item: { call_id: string }) => item.call_id);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set(ids).size).toBe(4);
    for (let n = 0; n < ids.length; n += 2) expect(ids[n]).toBe(ids[n + 1]);
    expect(sentInput(kinds)).toEqual(kinds);
  });

  test('of one history can alternate between both forms', () => {
    const input = [call('a'), output('a')];
    const nine = sentInput(input, { callIds: 'nine' });
    expect(sentInput(input)).toEqual(input);
    expect(sentInput(input, { callIds: 'nine' })).toEqual(nine);
  });
});

describe('reasoning', () => {
  const thinks: Item = { type: 'reasoning', id: 'r', summary: [], content: null, encrypted_content: 'sealed' };
  const text = { type: 'summary_text' as const, text: 'I look.' };
  const carried: Item = {
    ...thinks,
    summary: [text],
    encrypted_content: encodeOpaqueState({ details: [1], extra: new Map() }),
  };

  test.each([
    ['turn', [thinks, message]],
    ['all', [thinks, message]],
    ['none', [message]],
  ] as const)('goes back as the server wants it: %s', (sendReasoning, sent) => {
    expect(sentInput([thinks, message], { sendReasoning })).toEqual(sent);
  });

  test('with opaque state of another wire is not sent, not even its summary', () => {
    expect(sentInput([carried, message, carried])).toEqual([message]);
  });

  test('that a gateway sealed goes back to it', () => {
    const sealed = { ...carried, encrypted_content: encodeOpaqueState({ text: 'hm', details: [], extra: new Map() }) };
    expect(sentInput([sealed, message])).toEqual([sealed, message]);
  });

  test('always has a summary', () => {
    const decoder = decodeStream();
    const added = { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'r' } };
    const [done] = decoder.push({ data: JSON.stringify(added) });
    const item = done?.type === 'item.done' ? done.item : message;
    expect(sentInput([item])).toEqual([{ ...thinks, encrypted_content: null }]);
    // Another program may have written it like this.
    const bare = { type: 'reasoning', encrypted_content: 'sealed' } as unknown as Item;
    expect(sentInput([bare])).toEqual([{ type: 'reasoning', encrypted_content: 'sealed', summary: [] }]);
  });
});

describe('consecutive requests', () => {
  test('serialise each item and the tools once', () => {
    let read = 0;
    const counting = <T>(value: T): T => ({
      ...value,
      toJSON() {
        read++;
        return value;
      },
    });
    const counted = counting(message);
    const tools = [counting(tool)];
    const first = encode({ input: [counted], tools });
    const second = encode({ input: [counted, message], tools });
    expect(read).toBe(2);
    expect([first, second]).toEqual([encode(), encode({ input: [message, message] })]);
  });

  test('share their bytes up to the end of the older history', () => {
    const older = encode();
    const newer = encode({ input: [message, { type: 'function_call_output', call_id: 'c', output: 'ok' }] });
    const history = older.slice(0, older.indexOf('],"tools"'));
    expect(history.length).toBeGreaterThan(100);
    expect(newer.startsWith(`${history},{"type":"function_call_output"`)).toBe(true);
  });
});

test('outputs can be objects that say whether the call succeeded', () => {
  const input: Item[] = [
    { type: 'function_call', name: 'f', arguments: '{}', call_id: 'a' },
    { type: 'function_call_output', id: 'fco_1', call_id: 'a', output: 'fine' },
    {
      type: 'custom_tool_call_output',
      call_id: 'b',
      output: [
        { type: 'input_text', text: 'x' },
        { type: 'input_text', text: 'y' },
      ],
    },
  ];
  const changes = { input, failedCalls: new Set(['b']) };
  const sent = (compat: Compat) => JSON.parse(encode(changes, compat)).input as unknown[];
  expect(sent(DEFAULT_COMPAT)).toEqual(input);
  expect(sent({ ...DEFAULT_COMPAT, toolOutput: 'object' })).toEqual([
    input[0],
    { type: 'function_call_output', id: 'fco_1', call_id: 'a', output: { content: 'fine', success: true } },
    {
      type: 'custom_tool_call_output',
      call_id: 'b',
      output: {
        content: [
          { type: 'input_text', text: 'x' },
          { type: 'input_text', text: 'y' },
        ],
        success: false,
      },
    },
  ]);
  // A decoder of such a request sees the original outputs.
  expect(sent({ ...DEFAULT_COMPAT, toolOutput: 'object' }).map(canonicalItem)).toEqual(input);
});
