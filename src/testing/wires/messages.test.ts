import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeReply } from '../encode-reply.ts';
import { call, customCall, type Reply, type ReplyOptions, raw, reply, say, think } from '../reply.ts';
import { startScriptedModel } from '../scripted-model.ts';

const eventsOf = (answer: Reply) =>
  encodeReply(answer, { wire: 'messages', model: 'm' })
    .toString()
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => {
      const [name = '', data = ''] = frame.split('\n');
      const event = JSON.parse(data.replace(/^data: /, ''));
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });

/** Returns the blocks of a reply, each with its deltas. */
const blocksOf = (answer: Reply) => {
  const events = eventsOf(answer);
  return events
    .filter(({ type }) => type === 'content_block_start')
    .map(({ index, content_block }) => ({
      ...content_block,
      deltas: events.filter((event) => event.type === 'content_block_delta' && event.index === index),
    }));
};

const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 20,
  output_tokens_details: { thinking_tokens: 0 },
};

describe('a reply', () => {
  test('is a block with an event for each word, then the stop reason and the usage', () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 1 },
    };
    expect(eventsOf(reply(say('Hello there')))).toEqual([
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' there' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE },
      { type: 'message_stop' },
    ]);
  });

  test('has reasoning and calls, each in a block of its own', () => {
    const [thought, hidden, shell, patch] = blocksOf(
      reply(
        think(['one', 'two'], { encrypted: 'sig' }),
        think('', { encrypted: 'data' }),
        call('shell', { command: ['echo', 'x'] }),
        customCall('patch', '***', { callId: 'mine' }),
      ),
    );
    expect(thought.deltas.map(({ delta }: { delta: object }) => delta)).toEqual([
      { type: 'thinking_delta', thinking: 'one' },
      { type: 'thinking_delta', thinking: '\n\ntwo' },
      { type: 'signature_delta', signature: 'sig' },
    ]);
    expect(hidden).toEqual({ type: 'redacted_thinking', data: 'data', deltas: [] });
    expect(shell).toMatchObject({ type: 'tool_use', id: 'toolu_1', name: 'shell', input: {} });
    expect(shell.deltas.length).toBeGreaterThan(1);
    expect(patch).toMatchObject({ id: 'mine', deltas: [{ delta: { partial_json: '{"input":"**' } }, {}] });
  });

  test.each<[ReplyOptions, unknown]>([
    [{ incomplete: 'max_output_tokens' }, 'max_tokens'],
    [{ incomplete: 'content_filter' }, 'refusal'],
    [{ incomplete: 'model_context_window_exceeded' }, 'model_context_window_exceeded'],
    [{ endTurn: false }, 'pause_turn'],
    [{}, 'end_turn'],
    [{ finishReason: 'stop_sequence' }, 'stop_sequence'],
    [{ finishReason: null }, null],
  ])('that is %j stops with %j', (options, stop_reason) => {
    const [, delta, stop] = eventsOf(reply({ ...options, omitUsage: true }));
    expect(delta).toEqual({ type: 'message_delta', delta: { stop_reason, stop_sequence: null } });
    expect(stop).toEqual({ type: 'message_stop' });
  });

  test('that calls a tool says so, and one that fails has an error and no end', () => {
    expect(eventsOf(reply(call('f', {}))).at(-2).delta.stop_reason).toBe('tool_use');
    expect(eventsOf(reply({ failed: { code: 'c', message: 'm' } })).slice(1)).toEqual([
      { type: 'error', error: { type: 'c', message: 'm' } },
    ]);
  });

  test('may set its tokens and send frames as they are', () => {
    const events = eventsOf(
      reply(raw({ type: 'odd', x: 1 }), { usage: { inputTokens: 7, cachedInputTokens: 3 }, id: 'mine' }),
    );
    expect(events[0].message.id).toBe('mine');
    expect(events[1]).toEqual({ type: 'odd', x: 1 });
    expect(events.at(-2).usage).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 3 });
  });

  test('has deltas that join to any text', () => {
    const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(texts, texts, (said, args) => {
        const [text, thought, called] = blocksOf(reply(say(said), think(said), call('f', args)));
        const joined = (block: typeof text, name: string) =>
          block.deltas.map(({ delta }: { delta: Record<string, string> }) => delta[name] ?? '').join('');
        expect(joined(text, 'text')).toBe(said);
        expect(joined(thought, 'thinking')).toBe(said);
        expect(joined(called, 'partial_json')).toBe(args);
      }),
    );
  });
});

test('the server reads requests of this wire', async () => {
  const model = await startScriptedModel(() => reply(say('hi')));
  try {
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request(`${model.url}/messages`, { method: 'POST' }, async (response) => {
        resolve(Buffer.concat(await response.toArray()).toString());
      });
      sent.on('error', reject).end(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }));
    });
    expect(text).toContain('event: message_stop');
    expect(model.unexpected).toEqual([]);
    expect(model.requests[0]?.body.messages).toEqual([{ role: 'user', content: 'Hello' }]);
  } finally {
    await model.close();
  }
});
