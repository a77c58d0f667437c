import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { type ContentPart, type Item, isCall, type ReasoningItem, type Role } from '../../base/item.ts';
import { type Compat, DEFAULT_COMPAT } from '../../base/wire.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { anyItem, plain } from '../responses/fixtures/arbitrary-items.ts';
import { encodeMessages } from './encode-messages.ts';
import { type ChatMessage, callsOf, expectAccepted } from './fixtures/strict-server.ts';

const encode = (items: readonly Item[], changes: Partial<Compat> = {}): ChatMessage[] =>
  JSON.parse(`[${encodeMessages('', items, { ...DEFAULT_COMPAT, ...changes })}]`);
const messages = (...items: Item[]) => encode(items);

const says = (role: Role, ...texts: string[]): Item => ({
  type: 'message',
  role,
  content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
});
const user = says('user', 'go');
const call = (id: string, name = 'f', args = '{}'): Item => ({
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
const thinks = (raw: string | null, ...summary: string[]): ReasoningItem => ({
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  content: raw === null ? null : [{ type: 'reasoning_text', text: raw }],
  encrypted_content: 'sealed',
});
const image = (url: string): ContentPart => ({ type: 'input_image', image_url: url });

const sentCall = (id: string, name = 'f', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const sentCalls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => sentCall(id)),
});
const answer = (id: string, content = `out ${id}`) => ({ role: 'tool', tool_call_id: id, content });
const sentImage = (url: string) => ({ type: 'image_url', image_url: { url } });

describe('messages', () => {
  test('keep their roles, except that developer becomes system', () => {
    expect(messages(says('system', 'a'), says('developer', 'b'), user, says('assistant', 'c'))).toEqual([
      { role: 'system', content: 'a' },
      { role: 'system', content: 'b' },
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'c' },
    ]);
  });

  test('of developers right after the instructions join them, later ones do not', () => {
    const items = [says('developer', 'a', 'b'), says('developer', 'c'), user, says('developer', 'd')];
    expect(encodeMessages('Be good.', items, DEFAULT_COMPAT).map((text) => JSON.parse(text))).toEqual([
      { role: 'system', content: 'Be good.\n\na\n\nb\n\nc' },
      { role: 'user', content: 'go' },
      { role: 'system', content: 'd' },
    ]);
  });

  test('are texts where they hold only texts, and lists where they hold images', () => {
    const audio: ContentPart = { type: 'input_audio', input_audio: { data: 'x', format: 'wav' } };
    const content: ContentPart[] = [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: 'u', detail: 'high' },
      image('v'),
      audio,
    ];
    expect(messages(says('user', 'a', 'b'), { type: 'message', role: 'user', content })).toEqual([
      { role: 'user', content: 'a\n\nb' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'u', detail: 'high' } },
          sentImage('v'),
          audio,
        ],
      },
    ]);
  });

  test('include files with data or an id, and the addresses of others as text', () => {
    const file = { type: 'input_file', file_data: 'data:x', filename: 'a.pdf' } as const;
    const content: ContentPart[] = [
      file,
      { type: 'input_file', file_id: 'file-1' },
      { type: 'input_file', file_url: 'https://example.com/a' },
      { type: 'input_image', image_url: 'u', detail: 'original' },
    ];
    expect(messages({ type: 'message', role: 'user', content })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { file_data: 'data:x', filename: 'a.pdf' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'text', text: 'https://example.com/a' },
          { type: 'image_url', image_url: { url: 'u', detail: 'high' } },
        ],
      },
    ]);
  });

  test('of other agents are sent as user messages', () => {
    const content = [
      { type: 'input_text', text: 'Done.' },
      { type: 'encrypted_content', encrypted_content: 'x' },
    ];
    const mail: Item = { type: 'agent_message', author: '/root', recipient: '/root/a', content };
    expect(messages(user, mail, { ...mail, content: [] }).slice(1)).toEqual([{ role: 'user', content: 'Done.' }]);
  });

  test('that hold nothing are not sent', () => {
    const refusal: Item = { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] };
    expect(messages(says('user'), says('assistant'), says('assistant', ''), thinks('hm'), refusal)).toEqual([
      { role: 'assistant', content: 'no', reasoning_content: 'hm' },
    ]);
    expect(messages(user, says('assistant', ''), thinks('hm'))).toEqual([{ role: 'user', content: 'go' }]);
  });

  test('of one response are merged', () => {
    expect(messages(says('assistant', 'a', 'b'), says('assistant', 'c "quoted"'))).toEqual([
      { role: 'assistant', content: 'ab\n\nc "quoted"' },
    ]);
  });

  test('items of tools that the server ran are left out', () => {
    const hosted: Item = { type: 'web_search_call', id: 'w', status: 'completed' };
    expect(messages(call('a'), hosted, call('b'), output('a'), output('b'))).toEqual([
      sentCalls('a', 'b'),
      answer('a'),
      answer('b'),
    ]);
  });
});

describe('calls', () => {
  test('of one response share a message with its text, and results follow in their order', () => {
    expect(messages(user, says('assistant', 'I look.'), call('a'), call('b'), output('b'), output('a'), user)).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I look.', tool_calls: [sentCall('a'), sentCall('b')] },
      answer('a'),
      answer('b'),
      { role: 'user', content: 'go' },
    ]);
  });

  test('of the next response are another message', () => {
    expect(messages(call('a'), output('a'), says('assistant', 'And?'), call('b'), output('b'))).toEqual([
      sentCalls('a'),
      answer('a'),
      { ...sentCalls('b'), content: 'And?' },
      answer('b'),
    ]);
  });

  test('are followed directly by their results, wherever these stood', () => {
    expect(messages(call('a'), call('b'), output('b'), user, says('assistant', 'hm'), output('a'))).toEqual([
      sentCalls('a', 'b'),
      answer('a'),
      answer('b'),
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'hm' },
    ]);
  });

  test('without a result are aborted, and results without a call are not sent', () => {
    expect(messages(output('a'), call('a'), output('x'), call('b'), output('b'), output('b', 'again'))).toEqual([
      sentCalls('a', 'b'),
      answer('a', 'aborted'),
      answer('b'),
    ]);
  });

  test('may reuse an id', () => {
    expect(
      messages(call('a'), user, call('a'), output('a', '1'), call('a'), call('a'), output('a', '2'), output('a', '3')),
    ).toEqual([
      sentCalls('a'),
      answer('a', 'aborted'),
      { role: 'user', content: 'go' },
      sentCalls('a'),
      answer('a', '1'),
      sentCalls('a', 'a'),
      answer('a', '2'),
      answer('a', '3'),
    ]);
  });

  test('of every kind are calls of functions', () => {
    const custom: Item = { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** "x"' };
    const local: Item = {
      type: 'local_shell_call',
      call_id: 'c',
      action: { type: 'exec', command: ['ls'], working_directory: '/w', timeout_ms: 5, env: {}, user: 'u' },
    };
    const bare: Item = { type: 'local_shell_call', call_id: 'd', action: { type: 'exec', command: ['ls'] } };
    const spaced: Item = { type: 'function_call', call_id: 'e', namespace: 'docs', name: 'find', arguments: 'torn {' };
    const outputs: Item[] = [
      { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
      ...['c', 'd', 'e'].map((id) => output(id)),
    ];
    expect(callsOf(messages(custom, local, bare, spaced, ...outputs))).toEqual([
      sentCall('b', 'patch', '{"input":"*** \\"x\\""}'),
      sentCall('c', 'shell', '{"command":["ls"],"workdir":"/w","timeout_ms":5}'),
      sentCall('d', 'shell', '{"command":["ls"]}'),
      sentCall('e', 'docs__find', 'torn {'),
    ]);
  });
});

describe('outputs', () => {
  test('that are lists are sent as their texts', () => {
    const parts: ContentPart[] = [
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
    ];
    expect(messages(call('a'), output('a', parts), call('b'), output('b', []))).toMatchObject([
      {},
      answer('a', 'a\nb'),
      {},
      answer('b', ''),
    ]);
  });

  test('with images are followed by one user message with all images', () => {
    const mixed: ContentPart[] = [{ type: 'input_text', text: 'see' }, image('u'), image('v')];
    expect(
      messages(call('a'), call('b'), call('c'), output('a', [image('t')]), output('b', mixed), output('c'), user),
    ).toEqual([
      sentCalls('a', 'b', 'c'),
      answer('a', 'attached local image path'),
      answer('b', 'see'),
      answer('c'),
      { role: 'user', content: ['t', 'u', 'v'].map(sentImage) },
      { role: 'user', content: 'go' },
    ]);
  });

  test('that are only a file are followed by it', () => {
    const pdf = { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' };
    expect(messages(call('a'), output('a', [{ type: 'input_file', ...pdf }]))).toEqual([
      sentCalls('a'),
      answer('a', '[file attached below]'),
      { role: 'user', content: [{ type: 'file', file: pdf }] },
    ]);
  });
});

describe('reasoning', () => {
  test('of the current turn is sent with its calls and texts', () => {
    expect(
      messages(
        user,
        thinks('hm'),
        call('a'),
        output('a', [image('u')]),
        thinks(null, 's', 't'),
        says('assistant', 'x'),
      ),
    ).toEqual([
      { role: 'user', content: 'go' },
      { ...sentCalls('a'), reasoning_content: 'hm' },
      answer('a', 'attached local image path'),
      { role: 'user', content: [sentImage('u')] },
      { role: 'assistant', content: 'x', reasoning_content: 's\n\nt' },
    ]);
  });

  test('of older turns is not sent', () => {
    const [, older, , , newer] = messages(
      user,
      thinks('hm'),
      call('a'),
      output('a'),
      user,
      thinks('yes'),
      thinks('no'),
      call('b'),
    );
    expect(older).toEqual(sentCalls('a'));
    expect(newer).toEqual({ ...sentCalls('b'), reasoning_content: 'yes\n\nno' });
  });

  test.each([
    ['turn', [undefined, 'two']],
    ['all', ['one', 'two']],
    ['none', [undefined, undefined]],
  ] as const)('goes back as the server wants it: %s', (sendReasoning, sent) => {
    const history = [user, thinks('one'), call('a'), output('a'), user, thinks('two'), call('b'), output('b')];
    const assistants = encode(history, { sendReasoning }).filter(({ role }) => role === 'assistant');
    expect(assistants.map(({ reasoning_content }) => reasoning_content)).toEqual(sent);
    const silent = encode([user, call('a')], { sendReasoning });
    expect(silent[1]).toEqual(sentCalls('a'));
  });

  test('that is sealed is not sent', () => {
    expect(messages(user, thinks(null), thinks(''), says('assistant', 'x')).at(-1)).toEqual({
      role: 'assistant',
      content: 'x',
    });
  });
});

describe('opaque state of a server', () => {
  const details = [
    { type: 'reasoning.text', text: 'hm', signature: 's', index: 0 },
    { type: 'x', data: 'y' },
  ];
  const extra = { vendor: { signature: 'abc' } };
  const carries = (
    text: string | null,
    entries: readonly unknown[],
    calls: Record<string, unknown>,
  ): ReasoningItem => ({
    ...thinks(text),
    encrypted_content: encodeOpaqueState({ details: entries, extra: new Map(Object.entries(calls)) }),
  });
  const older = [user, carries('hm', details, { a: extra }), call('a'), call('b'), output('a'), output('b')];

  test('is sent with the message and with the call', () => {
    expect(messages(...older)[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      reasoning_details: details,
      tool_calls: [{ ...sentCall('a'), extra_content: extra }, sentCall('b')],
    });
    expect(messages(user, carries(null, [], { a: 1 }), call('a'))[1]).toEqual({
      ...sentCalls('a'),
      tool_calls: [{ ...sentCall('a'), extra_content: 1 }],
    });
  });

  test('includes the reasoning where a client returned only the sealed form', () => {
    const sealed = (text: string): ReasoningItem => ({
      ...thinks(null),
      summary: [{ type: 'summary_text', text: 'shortened' }],
      encrypted_content: encodeOpaqueState({ text, details, extra: new Map([['a', extra]]) }),
    });
    expect(messages(user, sealed('at length'), call('a'))[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'at length',
      reasoning_details: details,
      tool_calls: [{ ...sentCall('a'), extra_content: extra }],
    });
    expect(messages(user, sealed(''), call('a'))[1]).toMatchObject({ reasoning_content: 'shortened' });
    const foreign = { ...sealed(''), encrypted_content: 'gAAAAABo' };
    expect(JSON.stringify(messages(user, foreign, call('a')))).not.toContain('gAAAAABo');
  });

  test('is sent in the order of arrival', () => {
    const two = [carries('a', details, { a: 1 }), carries('b', [{ n: 2 }], { a: 2, b: 2 })];
    expect(messages(user, ...two, call('a'), call('b'))[1]).toMatchObject({
      reasoning_details: [...details, { n: 2 }],
      tool_calls: [{ extra_content: 1 }, { extra_content: 2 }],
    });
    // This id belongs to a call of another response.
    expect(messages(...older, call('a'), output('a'))[4]).toEqual({ ...sentCalls('a'), reasoning_content: '' });
  });

  test('includes an empty reasoning text for calls of a reasoning server that sent none', () => {
    const history = [user, thinks('hm'), call('a'), output('a'), call('b'), output('b')];
    const thoughts = (items: readonly Item[], compat = {}) =>
      encode(items, compat).map((message) => (message as { reasoning_content?: string }).reasoning_content);
    expect(thoughts(history)).toEqual([undefined, 'hm', undefined, '', undefined]);
    expect(thoughts([...history, user, call('c')]).every((text) => text === undefined)).toBe(true);
    expect(
      thoughts([...history, user, call('c')], { sendReasoning: 'all' }).filter((text) => text === ''),
    ).toHaveLength(2);
    expect(thoughts(history, { sendReasoning: 'none' })).toEqual(Array(5).fill(undefined));
  });

  test('stays with calls of older turns, and with reasoning only where reasoning is sent', () => {
    const history = [...older, user];
    const calls = [{ ...sentCall('a'), extra_content: extra }, sentCall('b')];
    expect(encode(history)[1]).toEqual({ role: 'assistant', content: null, tool_calls: calls });
    expect(encode(history, { sendReasoning: 'all' })[1]).toMatchObject({
      reasoning_details: details,
      tool_calls: calls,
    });
    for (const items of [older, history]) {
      expect(encode(items, { sendReasoning: 'none' })[1]).toEqual({ ...sentCalls('a', 'b'), tool_calls: calls });
    }
  });

  test('is left out where it is damaged', () => {
    const damaged = { ...thinks('hm'), encrypted_content: 'oxbow:???' };
    expect(messages(user, damaged, call('a'))[1]).toEqual({ ...sentCalls('a'), reasoning_content: 'hm' });
  });
});

describe('ids', () => {
  const long = 'x'.repeat(65);
  const idsOf = (sent: readonly ChatMessage[]) => [
    callsOf(sent).map(({ id }) => id),
    sent.flatMap(({ tool_call_id }) => tool_call_id ?? []),
  ];

  test('that are too long are shortened on both sides', () => {
    const [calls, answers] = idsOf(messages(call(long), call('b'), output(long), output('b')));
    expect(calls).toEqual([expect.stringMatching(/^call_[0-9a-f]{28}$/), 'b']);
    expect(answers).toEqual(calls);
    expect(idsOf(messages(call(long)))).toEqual([[calls?.[0]], [calls?.[0]]]);
  });

  test('are nine letters and digits where the server requires it', () => {
    const custom: Item[] = [
      { type: 'custom_tool_call', call_id: 'c', name: 'p', input: '' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
    ];
    const history = [call(long), call('b'), output(long), output('b'), ...custom, call('open')];
    const [calls, answers] = idsOf(encode(history, { callIds: 'nine' }));
    for (const id of calls ?? []) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set(calls).size).toBe(4);
    expect(answers).toEqual(calls);
  });

  test('of one history can alternate between both forms', () => {
    const history = [call('a'), output('a')];
    const plainly = messages(...history);
    const nine = encode(history, { callIds: 'nine' });
    expect([messages(...history), encode(history, { callIds: 'nine' })]).toEqual([plainly, nine]);
    expect(nine).not.toEqual(plainly);
  });

  test('of any history match on both sides', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 12 }), fc.constantFrom('any', 'nine'), (items, callIds) => {
        const sent = encode(items, { callIds });
        expectAccepted(sent);
        const calls = items.filter(isCall).map(({ call_id }) => call_id);
        expect(new Set(callsOf(sent).map(({ id }) => id)).size).toBe(new Set(calls).size);
      }),
    );
  });
});

describe('any history', () => {
  const anyHistory = fc.array(
    fc
      .tuple(anyItem, fc.constantFrom('a', 'b', 'c'))
      .map(([item, call_id]) => ('call_id' in item ? { ...item, call_id } : item)),
    { maxLength: 12 },
  ) as fc.Arbitrary<Item[]>;

  test('is accepted by strict servers and has every call once', () => {
    let answered = 0;
    const count = Math.max(runs(2000), 60);
    fc.assert(
      fc.property(anyHistory, (items) => {
        const sent = messages(...items);
        expectAccepted(sent);
        expect(callsOf(sent).map(({ id }) => id)).toEqual(items.filter(isCall).map((item) => item.call_id));
        answered += sent.filter(({ role, content }) => role === 'tool' && content !== 'aborted').length;
      }),
      { numRuns: count },
    );
    // Few samples have few answers by chance; none at all would mean that the property says nothing.
    expect(answered).toBeGreaterThan(count < 1000 ? 0 : 100);
  });

  test('with results anywhere after their calls keeps every result', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const others: Item[] = [user, says('assistant', 'x'), thinks('hm'), says('developer', 'y')];
    const anyAnswered = fc
      .array(fc.nat({ max: 100 }), { minLength: ids.length * 2, maxLength: ids.length * 2 })
      .chain((places) =>
        plain(fc.array(fc.constantFrom(...others))).map((between) => {
          const placed = ids.flatMap((id, n) => {
            const [one = 0, two = 0] = places.slice(n * 2, n * 2 + 2);
            return [
              { at: Math.min(one, two), item: call(id) },
              { at: Math.max(one, two) + 0.5, item: output(id) },
            ];
          });
          const mixed = [...placed, ...between.map((item, n) => ({ at: n * 10, item }))];
          return mixed.sort((x, y) => x.at - y.at).map(({ item }) => item);
        }),
      );
    fc.assert(
      fc.property(anyAnswered, (items) => {
        const sent = messages(...items);
        expectAccepted(sent);
        const answers = sent.filter(({ role }) => role === 'tool');
        expect(new Set(answers.map((one) => one.tool_call_id))).toEqual(new Set(ids));
        expect(answers).toHaveLength(ids.length);
        for (const { tool_call_id, content } of answers) expect(content).toBe(`out ${tool_call_id}`);
        const spoken = items.filter((item) => item.type === 'message' && item.role !== 'assistant').length;
        expect(sent.filter(({ role }) => role === 'user' || role === 'system')).toHaveLength(spoken);
      }),
      { numRuns: runs(300) },
    );
  });
});
