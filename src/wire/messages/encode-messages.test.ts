import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { type ContentPart, type Item, isCall, type ReasoningItem, type Role } from '../../base/item.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { Compat } from '../../base/wire.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { anyItem } from '../responses/fixtures/arbitrary-items.ts';
import { encodeMessages } from './encode-messages.ts';
import { callsOf, expectAccepted, type SentMessage } from './fixtures/strict-server.ts';

const encode = (
  input: readonly Item[],
  options: {
    readonly failed?: readonly string[];
    readonly tools?: readonly ToolSpec[];
    readonly sendReasoning?: Compat['sendReasoning'];
    readonly instructions?: string;
  } = {},
) => {
  const { failed = [], tools = [], sendReasoning = 'turn', instructions = '' } = options;
  const request = { instructions, input, tools, failedCalls: new Set(failed) };
  const { system, messages } = encodeMessages(request, { sendReasoning });
  return { system, messages: messages.map((text): SentMessage => JSON.parse(text)) };
};
const messages = (...items: Item[]) => encode(items).messages;

const says = (role: Role, ...texts: string[]): Item => ({
  type: 'message',
  role,
  content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
});
const shows = (...content: ContentPart[]): Item => ({ type: 'message', role: 'user', content });
const user = says('user', 'go');
const call = (id: string, args = '{}', name = 'f'): Item => ({
  type: 'function_call',
  name,
  arguments: args,
  call_id: id,
});
const output = (id: string, text: string | ContentPart[] = `out ${id}`): Item => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const thinks = (text: string, sealed: object | null): ReasoningItem => ({
  type: 'reasoning',
  summary: [],
  content: text === '' ? null : [{ type: 'reasoning_text', text }],
  encrypted_content: sealed === null ? null : encodeOpaqueState(sealed),
});
const sentCall = (id: string, input: object = {}, name = 'f') => ({ type: 'tool_use', id, name, input });
const result = (tool_use_id: string, content: unknown = `out ${tool_use_id}`) => ({
  type: 'tool_result',
  tool_use_id,
  content,
});

describe('messages', () => {
  test('of developers join the instructions at the beginning, and are labelled later', () => {
    const { system, messages } = encode([says('developer', 'a'), says('system', 'b'), user, says('developer', 'c')], {
      instructions: 'Be brief.',
    });
    expect(system).toBe('Be brief.\n\na\n\nb');
    expect(messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'user', content: '[system]\nc' },
    ]);
    const image: ContentPart = { type: 'input_image', image_url: 'https://example.com/a.png' };
    const shown: Item = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'd' }, image] };
    expect(encode([shown])).toMatchObject({
      system: '',
      messages: [{ role: 'user', content: [{ text: '[system]' }, { text: 'd' }, { type: 'image' }] }],
    });
  });

  test('have images and files in the forms of this wire', () => {
    const png = 'data:image/png;base64,AAAA';
    const parts: ContentPart[] = [
      { type: 'input_text', text: 'See:' },
      { type: 'input_image', image_url: png, detail: 'high' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      { type: 'input_file', file_data: 'JVBE' },
      { type: 'input_file', file_data: `data:text/plain;base64,${Buffer.from('né').toString('base64')}` },
      { type: 'input_file', file_url: 'https://example.com/a.pdf' },
      { type: 'input_file', file_id: 'file_1' },
      { type: 'input_file' },
      { type: 'input_audio', input_audio: {} },
    ];
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
    expect(messages(shows(...parts))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'document', source: pdf, title: 'a.pdf' },
          { type: 'document', source: pdf },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'né' } },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
          { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          { type: 'text', text: '[sound left out: the server of this model cannot read it]' },
        ],
      },
    ]);
  });

  test('that hold nothing are not sent', () => {
    expect(messages(shows(), says('user', ' '), says('assistant', '\n'))).toEqual([]);
  });

  test('of one role in a row stay as they are', () => {
    expect(messages(user, user, says('assistant', 'a'))).toHaveLength(3);
  });
});

describe('a response', () => {
  test('is one message in the order of its items, and its results follow in the order of the calls', () => {
    const items = [
      user,
      says('assistant', 'Let me see.'),
      call('a', '{"x":1}'),
      call('b'),
      output('b'),
      output('a'),
      user,
    ];
    expect(messages(...items)).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }, sentCall('a', { x: 1 }), sentCall('b')] },
      { role: 'user', content: [result('a'), result('b')] },
      { role: 'user', content: 'go' },
    ]);
  });

  test('has its arguments as they were written, and an object where they are none', () => {
    const { messages: texts } = encodeMessages(
      {
        instructions: '',
        input: [user, call('a', '{"n": 1.0e2}'), call('b', ''), call('c', '{"x":'), call('d', '[1]')],
        tools: [],
      },
      { sendReasoning: 'turn' },
    );
    expect(texts[1]).toContain('"input":{"n": 1.0e2}');
    expect(callsOf(texts.map((text) => JSON.parse(text))).map(({ input }) => input)).toEqual([
      { n: 100 },
      {},
      { input: '{"x":' },
      { input: '[1]' },
    ]);
  });

  test('has errors for calls that failed or were never answered', () => {
    const { messages } = encode([user, call('a'), call('b'), call('c'), output('a'), output('b')], { failed: ['b'] });
    expect(messages[2]?.content).toEqual([
      result('a'),
      { ...result('b'), is_error: true },
      { ...result('c', 'aborted'), is_error: true },
    ]);
  });

  test('has images and files in its results', () => {
    const parts: ContentPart[] = [
      { type: 'input_text', text: 'This:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ];
    expect(messages(user, call('a'), output('a', parts))[2]?.content).toMatchObject([
      result('a', [{ type: 'text', text: 'This:' }, { type: 'image' }]),
    ]);
  });

  test('has the names of functions for tools of other kinds, also where two share a name', () => {
    const tools = [
      { type: 'function', name: 'docs__find', description: '', strict: false, parameters: {} },
      { type: 'namespace', name: 'docs', description: '', tools: [{ type: 'function', name: 'find', parameters: {} }] },
    ] as unknown as ToolSpec[];
    const items: Item[] = [
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '***' },
      { type: 'local_shell_call', call_id: 'b', action: { type: 'exec', command: ['ls'] } },
      { type: 'function_call', call_id: 'c', namespace: 'docs', name: 'find', arguments: '{}' },
    ];
    expect(callsOf(encode([user, ...items], { tools }).messages)).toEqual([
      sentCall('a', { input: '***' }, 'patch'),
      sentCall('b', { command: ['ls'] }, 'shell'),
      sentCall('c', {}, 'docs__find_2'),
    ]);
  });

  test('has ids that every server accepts, each once', () => {
    const sent = messages(
      user,
      call('functions.f:0'),
      output('functions.f:0'),
      call('functions.f:0'),
      call('x'.repeat(70)),
    );
    expectAccepted(sent);
    expect(callsOf(sent)).toHaveLength(3);
    const longer = messages(user, call('functions.f:0'), output('functions.f:0'));
    expect(sent.slice(0, 3)).toEqual(longer);
  });
});

describe('reasoning', () => {
  const signed = { type: 'thinking', thinking: 'hm', signature: 'Eq=' };

  test('goes back to the server that signed it, whatever its turn', () => {
    const items = [
      user,
      thinks('hm', { signature: 'Eq=' }),
      thinks('', { redacted: 'EmwK' }),
      says('assistant', 'a'),
      user,
    ];
    expect(messages(...items)[1]).toEqual({
      role: 'assistant',
      content: [signed, { type: 'redacted_thinking', data: 'EmwK' }, { type: 'text', text: 'a' }],
    });
  });

  test('goes back in its place between texts and calls', () => {
    const items = [
      user,
      thinks('hm', { signature: 'Eq=' }),
      says('assistant', 'a'),
      thinks('hm', { signature: 'Eq=' }),
      call('c'),
    ];
    expect(messages(...items)[1]?.content).toEqual([signed, { type: 'text', text: 'a' }, signed, sentCall('c')]);
  });

  test('that a client returned in its sealed form goes back with its text', () => {
    const sealed = {
      ...thinks('', { signature: 'Eq=', text: 'hm' }),
      summary: [{ type: 'summary_text', text: 'h' }],
    } as Item;
    expect(messages(user, sealed, call('c'))[1]?.content).toEqual([signed, sentCall('c')]);
  });

  test('of other servers is left out, and so is all of it where the server wants none', () => {
    const others = [
      thinks('hm', null),
      thinks('hm', { details: [1] }),
      { ...thinks('', null), encrypted_content: 'gAAA' },
    ];
    expect(messages(user, ...others, call('c'))[1]?.content).toEqual([sentCall('c')]);
    const { messages: none } = encode([user, thinks('hm', { signature: 'Eq=' }), call('c')], { sendReasoning: 'none' });
    expect(none[1]?.content).toEqual([sentCall('c')]);
  });

  test('without anything after it is not sent', () => {
    expect(messages(user, thinks('hm', { signature: 'Eq=' }))).toHaveLength(1);
    expect(messages(user, says('assistant', 'a'), thinks('hm', { signature: 'Eq=' }))[1]?.content).toHaveLength(1);
  });
});

test('any history is accepted by strict servers and has every call once', () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 12 }), (items) => {
      const sent = encode(items).messages;
      expectAccepted(sent);
      expect(callsOf(sent)).toHaveLength(items.filter(isCall).length);
    }),
    { numRuns: runs(1000) },
  );
});
