import { describe, expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
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
  encodeRequest({ ...request, ...changes }, compat);

describe('the body of a request', () => {
  test('has its fields in a fixed order and leaves out what was not given', () => {
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

  test('has no text settings when neither verbosity nor schema are asked for', () => {
    expect(encode({ text: {} })).toBe(encode());
    expect(JSON.parse(encode({ text: { verbosity: 'high' } })).text).toEqual({ verbosity: 'high' });
  });

  test('carries the instructions as the first item where the server wants them there', () => {
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
