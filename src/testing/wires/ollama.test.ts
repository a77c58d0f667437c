import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeReply } from '../encode-reply.ts';
import { call, customCall, type Reply, type ReplyOptions, raw, reply, say, think } from '../reply.ts';

const linesOf = (answer: Reply) =>
  encodeReply(answer, { wire: 'ollama', model: 'm' })
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const messagesOf = (answer: Reply) =>
  linesOf(answer)
    .slice(0, -1)
    .map(({ message }) => message);

const HEAD = { model: 'm', created_at: '2025-10-09T08:53:20Z' };
const message = (said: object) => ({ role: 'assistant', content: '', ...said });

describe('a reply', () => {
  test('is a line for each word, then the line that ends it, with the usage', () => {
    expect(linesOf(reply(say('Hello there')))).toEqual([
      { ...HEAD, message: message({ content: 'Hello' }), done: false },
      { ...HEAD, message: message({ content: ' there' }), done: false },
      {
        ...HEAD,
        message: message({}),
        done: true,
        done_reason: 'stop',
        total_duration: 1_000_000,
        load_duration: 0,
        prompt_eval_count: 100,
        prompt_eval_duration: 500_000,
        eval_count: 20,
        eval_duration: 500_000,
      },
    ]);
  });

  test('has reasoning and whole calls', () => {
    expect(
      messagesOf(
        reply(think('one two'), call('shell', { command: ['ls'] }), customCall('patch', '***', { callId: 'mine' })),
      ),
    ).toEqual([
      message({ thinking: 'one' }),
      message({ thinking: ' two' }),
      message({
        tool_calls: [{ id: 'call_1', function: { index: 0, name: 'shell', arguments: { command: ['ls'] } } }],
      }),
      message({ tool_calls: [{ id: 'mine', function: { index: 1, name: 'patch', arguments: { input: '***' } } }] }),
    ]);
  });

  test('has arguments that are not an object as the text that they are', () => {
    const [{ tool_calls }] = messagesOf(reply(call('f', '{"a":'))) as [{ tool_calls: unknown }];
    expect(tool_calls).toMatchObject([{ function: { arguments: '{"a":' } }]);
  });

  test.each<[ReplyOptions, string | undefined]>([
    [{}, 'stop'],
    [{ incomplete: 'max_output_tokens' }, 'length'],
    [{ incomplete: 'content_filter' }, 'content_filter'],
    [{ finishReason: 'load' }, 'load'],
    [{ finishReason: null }, undefined],
  ])('that is %j ends with %s', (options, reason) => {
    const end = linesOf(reply({ ...options, omitUsage: true })).at(-1);
    expect(end).toMatchObject({ done: true });
    expect(end.done_reason).toBe(reason);
    expect(end).not.toHaveProperty('eval_count');
  });

  test('that fails has an error and no line that ends it', () => {
    expect(linesOf(reply(say('a'), { failed: { code: 'c', message: 'm' } })).slice(1)).toEqual([
      { error: 'm', code: 'c' },
    ]);
  });

  test('may set its tokens and send lines as they are', () => {
    const lines = linesOf(reply(raw('{"x":1}'), { usage: { inputTokens: 7 } }));
    expect(lines).toMatchObject([{ x: 1 }, { prompt_eval_count: 7, eval_count: 20 }]);
  });

  test('has pieces that join to any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (said) => {
        const messages = messagesOf(reply(say(said), think(said), call('f', { said })));
        expect(messages.map(({ content }) => content).join('')).toBe(said);
        expect(messages.map(({ thinking = '' }) => thinking).join('')).toBe(said);
        expect(messages.at(-1)?.tool_calls).toMatchObject([{ function: { arguments: { said } } }]);
      }),
    );
  });
});
