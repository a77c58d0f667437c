import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeReply } from '../encode-reply.ts';
import { call, customCall, type Reply, raw, reply, say, think } from '../reply.ts';

interface Frame {
  readonly event: string;
  readonly data: Record<string, unknown> & { type: string; sequence_number: number };
}

function framesOf(answer: Reply): Frame[] {
  const text = encodeReply(answer).toString();
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n');
      expect(event.startsWith('event: ') && data.startsWith('data: ')).toBe(true);
      return { event: event.slice(7), data: JSON.parse(data.slice(6)) };
    });
}

const typesOf = (answer: Reply) => framesOf(answer).map(({ data }) => data.type.replace('response.', ''));
const dataOf = (answer: Reply, type: string) =>
  framesOf(answer)
    .filter(({ data }) => data.type === `response.${type}`)
    .map(({ data }) => data);
const last = (answer: Reply) => framesOf(answer).at(-1)?.data;

describe('the life cycle', () => {
  test('of a message', () => {
    const answer = reply(say('Hello there world'));
    expect(typesOf(answer)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(dataOf(answer, 'output_text.delta').map(({ delta }) => delta)).toEqual(['Hello', ' there', ' world']);
    expect(dataOf(answer, 'output_item.done')[0]).toMatchObject({
      output_index: 0,
      item: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello there world' }],
      },
    });
  });

  test('of a function call', () => {
    const answer = reply(call('shell', { command: ['echo', 'a longer text'] }));
    const deltas = dataOf(answer, 'function_call_arguments.delta');
    expect(typesOf(answer)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      ...deltas.map(() => 'function_call_arguments.delta'),
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(deltas.length).toBeGreaterThan(1);
    expect(dataOf(answer, 'output_item.added')[0]).toMatchObject({
      item: { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '' },
    });
    expect(dataOf(answer, 'output_item.done')[0]).toMatchObject({
      item: { status: 'completed', arguments: '{"command":["echo","a longer text"]}' },
    });
  });

  test('of a custom call', () => {
    const answer = reply(customCall('apply_patch', '*** Begin Patch\n*** End Patch', { callId: 'mine' }));
    expect(typesOf(answer).filter((type) => !type.endsWith('delta'))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ]);
    expect(dataOf(answer, 'output_item.done')[0]).toMatchObject({
      item: { id: 'ctc_1', call_id: 'mine', name: 'apply_patch', input: '*** Begin Patch\n*** End Patch' },
    });
  });

  test('of reasoning with two sections and raw text', () => {
    const answer = reply(think(['one', 'two'], { raw: 'all of it', encrypted: 'sealed' }));
    expect(typesOf(answer)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      ...[0, 1].flatMap(() => [
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
      ]),
      'content_part.added',
      ...['all', ' of', ' it'].map(() => 'reasoning_text.delta'),
      'reasoning_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(dataOf(answer, 'reasoning_summary_text.delta').map((data) => data.summary_index)).toEqual([0, 1]);
    expect(dataOf(answer, 'output_item.done')[0]?.item).toEqual({
      id: 'rs_1',
      type: 'reasoning',
      summary: [
        { type: 'summary_text', text: 'one' },
        { type: 'summary_text', text: 'two' },
      ],
      content: [{ type: 'reasoning_text', text: 'all of it' }],
      encrypted_content: 'sealed',
    });
  });

  test('numbers frames and items, and repeats the items at the end', () => {
    const answer = reply(think('hm'), say('hi'), call('a', {}), call('b', {}, { callId: 'given' }), call('c', {}));
    const frames = framesOf(answer);
    expect(frames.map(({ data }) => data.sequence_number)).toEqual(frames.map((_, index) => index));
    expect(frames.every(({ event, data }) => event === data.type)).toBe(true);
    const done = dataOf(answer, 'output_item.done');
    expect(done.map((data) => data.output_index)).toEqual([0, 1, 2, 3, 4]);
    expect(last(answer)).toMatchObject({ response: { id: 'resp_1', output: done.map((data) => data.item) } });
    expect(done.slice(2).map((data) => (data.item as { call_id: string }).call_id)).toEqual([
      'call_1',
      'given',
      'call_2',
    ]);
  });
});

describe('the ending', () => {
  test('has usage, which can be set or left out', () => {
    expect(last(reply())).toMatchObject({
      response: { status: 'completed', usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } },
    });
    expect(last(reply({ usage: { inputTokens: 7, cachedInputTokens: 3, reasoningOutputTokens: 2 } }))).toMatchObject({
      response: {
        usage: {
          input_tokens: 7,
          input_tokens_details: { cached_tokens: 3 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 2 },
          total_tokens: 27,
        },
      },
    });
    expect(last(reply({ omitUsage: true }))?.response).not.toHaveProperty('usage');
  });

  test('has end_turn only when the script says so', () => {
    expect(last(reply(say('more'), { endTurn: false }))).toMatchObject({ response: { end_turn: false } });
    expect(last(reply(say('more')))?.response).not.toHaveProperty('end_turn');
  });

  test('is incomplete or failed when the script says so, and nothing else', () => {
    const incomplete = reply(say('half'), { incomplete: 'max_output_tokens' });
    expect(last(incomplete)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
    const failed = reply(say('half'), { failed: { code: 'server_error', message: 'no luck' }, id: 'resp_x' });
    expect(last(failed)).toMatchObject({
      type: 'response.failed',
      response: { id: 'resp_x', status: 'failed', error: { code: 'server_error', message: 'no luck' } },
    });
    for (const answer of [incomplete, failed]) expect(typesOf(answer)).not.toContain('completed');
  });
});

test('a raw frame is sent as it is', () => {
  const text = encodeReply(
    reply(raw({ type: 'response.metadata', x: 1 }), raw('not\njson'), raw('{}', { event: 'e' })),
  );
  expect(text.toString()).toContain(
    [
      'event: response.metadata\ndata: {"type":"response.metadata","x":1}\n\n',
      'data: not\ndata: json\n\n',
      'event: e\ndata: {}\n\n',
    ].join(''),
  );
});

test('deltas join to any text', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(texts, texts, texts, (text, args, input) => {
      const answer = reply(say(text), think(text, { raw: text }), call('f', args), customCall('c', input));
      const frames = framesOf(answer);
      const joined = (type: string) =>
        frames.map(({ data }) => (data.type === `response.${type}` ? data.delta : '')).join('');
      expect(joined('output_text.delta')).toBe(text);
      expect(joined('reasoning_summary_text.delta')).toBe(text);
      expect(joined('reasoning_text.delta')).toBe(text);
      expect(joined('function_call_arguments.delta')).toBe(args);
      expect(joined('custom_tool_call_input.delta')).toBe(input);
    }),
  );
});
