import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallItem, CallOutputItem, ContentPart, Item, ReasoningItem, Role } from '../../base/item.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { encodeMessages, type HistoryReplay } from './encode-messages.ts';
import { fixtures } from './fixtures/conformance.ts';

const REPLAY: HistoryReplay = { callIds: 'any', sendReasoning: 'turn', renamed: new Map() };

const PNG = 'iVBORw0KGgoAAAA';
const text = (said: string): ContentPart => ({ type: 'input_text', text: said });
const image = (data = PNG): ContentPart => ({ type: 'input_image', image_url: `data:image/png;base64,${data}` });
const message = (role: Role, ...content: ContentPart[]): Item => ({ type: 'message', role, content });
const user = (said: string) => message('user', text(said));
const assistant = (said: string) => message('assistant', { type: 'output_text', text: said });
const thought = (said: string, encrypted_content: string | null = null): ReasoningItem => ({
  type: 'reasoning',
  summary: [],
  content: said === '' ? null : [{ type: 'reasoning_text', text: said }],
  encrypted_content,
});
const call = (call_id: string, args = '{}', name = 'look'): CallItem => ({
  type: 'function_call',
  name,
  arguments: args,
  call_id,
});
const result = (call_id: string, output: CallOutputItem['output']): Item => ({
  type: 'function_call_output',
  call_id,
  output,
});

const encoded = (items: readonly Item[], replay: Partial<HistoryReplay> = {}, instructions = '') =>
  encodeMessages(instructions, items, { ...REPLAY, ...replay }).map((entry) => JSON.parse(entry));

describe('messages', () => {
  test('of developers join the instructions at the beginning, and are of the system later', () => {
    const items = [message('developer', text('One.')), user('Hi'), message('developer', text('Two.'))];
    expect(encoded(items, {}, 'Zero.')).toEqual([
      { role: 'system', content: 'Zero.\n\nOne.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Two.' },
    ]);
    expect(encoded(items)[0]).toEqual({ role: 'system', content: 'One.' });
  });

  test('have their images in a list, in base 64', () => {
    expect(encoded([message('user', text('What'), image(), text('is this?'), image('/9j/x'))])).toEqual([
      { role: 'user', content: 'What\n\nis this?', images: [PNG, '/9j/x'] },
    ]);
  });

  test('have addresses and files of text as text, and a note for what the wire cannot carry', () => {
    const parts: readonly ContentPart[] = [
      { type: 'input_image', image_url: 'https://host/cat.png' },
      { type: 'input_file', file_url: 'https://host/a.pdf' },
      { type: 'input_file', file_data: `data:text/csv;base64,${Buffer.from('né').toString('base64')}` },
      { type: 'input_image', image_url: 'data:image/svg+xml,<svg/>' },
      { type: 'input_audio', input_audio: {} },
    ];
    const left = 'left out: the server of this model cannot read it]';
    expect(encoded([message('user', ...parts)])).toEqual([
      { role: 'user', content: `https://host/cat.png\n\nhttps://host/a.pdf\n\nné\n\n[sound ${left}` },
    ]);
    const pdf: ContentPart = { type: 'input_file', file_data: 'data:application/pdf;base64,x', filename: 'a.pdf' };
    expect(encoded([message('user', pdf)])).toEqual([{ role: 'user', content: `[file a.pdf ${left}` }]);
    expect(encoded([call('c1'), result('c1', [pdf])]).at(-1)).toMatchObject({ content: `[file a.pdf ${left}` });
  });
});

describe('a response', () => {
  test('is one message with its text, its thoughts and its calls, before the results', () => {
    const items = [
      user('Go'),
      thought('Hm'),
      assistant('Let me see.'),
      call('c1', '{"a":1}'),
      call('c2', '{}', 'find'),
      result('c2', 'two'),
      result('c1', 'one'),
    ];
    expect(encoded(items).slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        thinking: 'Hm',
        tool_calls: [
          { id: 'c1', function: { name: 'look', arguments: { a: 1 } } },
          { id: 'c2', function: { name: 'find', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'one', tool_name: 'look', tool_call_id: 'c1' },
      { role: 'tool', content: 'two', tool_name: 'find', tool_call_id: 'c2' },
    ]);
  });

  test('has results for calls that were never answered', () => {
    expect(encoded([call('c1')]).at(-1)).toMatchObject({ role: 'tool', content: 'aborted', tool_call_id: 'c1' });
  });

  test('with neither text nor calls is left out', () => {
    expect(encoded([user('Go'), thought('Hm')])).toEqual([{ role: 'user', content: 'Go' }]);
  });

  test.each([
    ['turn', [undefined, 'two']],
    ['all', ['one', 'two']],
    ['none', [undefined, undefined]],
  ] as const)('has its thoughts where the server wants those of %s', (sendReasoning, thoughts) => {
    const items = [user('Go'), thought('one'), assistant('A'), user('On'), thought('two'), assistant('B')];
    const sent = encoded(items, { sendReasoning }).filter(({ role }) => role === 'assistant');
    expect(sent.map(({ thinking }) => thinking)).toEqual(thoughts);
  });

  test('has sealed thoughts before their summary', () => {
    const sealed = encodeOpaqueState({ text: 'sealed', details: [], extra: new Map() });
    const summary = { ...thought('', sealed), summary: [{ type: 'summary_text' as const, text: 'short' }] };
    expect(encoded([summary, assistant('A')])[0].thinking).toBe('sealed');
    expect(encoded([{ ...summary, encrypted_content: null }, assistant('A')])[0].thinking).toBe('short');
  });

  test('has images of results in a message of the user', () => {
    const items = [call('c1'), call('c2'), result('c1', [image()]), result('c2', [text('two'), image('/9j/x')])];
    expect(encoded(items).slice(1)).toEqual([
      { role: 'tool', content: 'attached local image path', tool_name: 'look', tool_call_id: 'c1' },
      { role: 'tool', content: 'two', tool_name: 'look', tool_call_id: 'c2' },
      { role: 'user', content: '', images: [PNG, '/9j/x'] },
    ]);
  });
});

describe('arguments', () => {
  const sentFor = (args: string) => encodeMessages('', [call('c1', args)], REPLAY)[0];

  test('are the object as it is written', () => {
    expect(sentFor('{"b": 12345678901234567890,\n "1": 1.10, "0": 2}')).toContain(
      '"arguments":{"b":12345678901234567890,"1":1.10,"0":2}',
    );
  });

  test.each([
    ['', {}],
    ['half {', { input: 'half {' }],
    ['[1]', { input: '[1]' }],
    ['null', { input: 'null' }],
  ])('that are not an object are sent in one: %s', (args, sent) => {
    expect(JSON.parse(sentFor(args) ?? '').tool_calls[0].function.arguments).toEqual(sent);
  });

  test('of other calls are those of the functions that stand for them', () => {
    const items: Item[] = [
      { type: 'custom_tool_call', call_id: 'c1', name: 'patch', namespace: 'docs', input: '***' },
      { type: 'local_shell_call', call_id: 'c2', action: { type: 'exec', command: ['ls'] } },
    ];
    expect(encoded(items)[0].tool_calls).toEqual([
      { id: 'c1', function: { name: 'docs__patch', arguments: { input: '***' } } },
      { id: 'c2', function: { name: 'shell', arguments: { command: ['ls'] } } },
    ]);
    const renamed = new Map([['["docs","patch"]', 'docs__patch_2']]);
    expect(encoded(items, { renamed })[0].tool_calls[0].function.name).toBe('docs__patch_2');
    expect(encoded(items, { renamed })[1].tool_name).toBe('docs__patch_2');
  });
});

test('ids are sent as the server accepts them', () => {
  const long = 'x'.repeat(70);
  const [answer, answered] = encoded([call(long)]);
  expect(answer.tool_calls[0].id).toMatch(/^call_\w{28}$/);
  expect(answered.tool_call_id).toBe(answer.tool_calls[0].id);
  expect(encoded([call('c1')], { callIds: 'nine' })[0].tool_calls[0].id).toMatch(/^\w{9}$/);
});

test('a history that grows keeps the texts of its earlier messages', () => {
  fc.assert(
    fc.property(fixtures.anyRequest, fc.nat(), ({ instructions, input }, seed) => {
      const replay = { ...REPLAY, sendReasoning: 'all' as const };
      const whole = encodeMessages(instructions, input, replay);
      // Between turns, all calls have their results.
      const ends = input.flatMap((item, at) => (item.type === 'message' && item.role === 'user' ? [at] : []));
      const part = encodeMessages(instructions, input.slice(0, ends[seed % ends.length]), replay);
      expect(whole.slice(0, part.length)).toEqual(part);
    }),
  );
});
