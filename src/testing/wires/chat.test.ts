import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeReply } from '../encode-reply.ts';
import { call, customCall, type Reply, type ReplyOptions, raw, reply, say, think } from '../reply.ts';
import { startScriptedModel } from '../scripted-model.ts';

const text = (answer: Reply) => encodeReply(answer, { wire: 'chat', model: 'm' }).toString();

/** Returns the chunks of a reply. The end mark is returned as it is. */
const chunksOf = (answer: Reply) =>
  text(answer)
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => {
      const data = frame.replace(/^data: /, '');
      return data === '[DONE]' ? data : JSON.parse(data);
    });

/** Returns the deltas and finish reasons, which are all that differs between most chunks. */
const lifeOf = (answer: Reply) =>
  chunksOf(answer).map((chunk) => {
    const choice = chunk.choices?.[0];
    return choice === undefined ? chunk : (choice.finish_reason ?? choice.delta);
  });

const role = { role: 'assistant', content: '' };
const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

describe('a reply', () => {
  test('is a chunk for each word, then the finish reason, the usage and the end mark', () => {
    const chunk = { id: 'chatcmpl_1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'm' };
    const chunkOf = (delta: object, finish_reason: string | null = null) => ({
      ...chunk,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    expect(chunksOf(reply(say('Hello there')))).toEqual([
      chunkOf(role),
      chunkOf({ content: 'Hello' }),
      chunkOf({ content: ' there' }),
      chunkOf({}, 'stop'),
      { ...chunk, choices: [], usage: USAGE },
      '[DONE]',
    ]);
  });

  test('has reasoning and calls, each call under its index', () => {
    const life = lifeOf(
      reply(
        think(['one', 'two']),
        call('shell', { command: ['echo', 'x'] }),
        customCall('patch', '***', { callId: 'mine' }),
      ),
    );
    expect(life.slice(0, 3)).toEqual([role, { reasoning_content: 'one' }, { reasoning_content: '\n\ntwo' }]);
    const pieces = life.flatMap((delta) => delta.tool_calls ?? []);
    expect(pieces.filter((piece) => piece.id !== undefined)).toEqual([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'shell', arguments: '' } },
      { index: 1, id: 'mine', type: 'function', function: { name: 'patch', arguments: '' } },
    ]);
    const argumentsOf = (index: number) =>
      pieces.filter((piece) => piece.index === index).map((piece) => piece.function.arguments);
    expect(argumentsOf(0).length).toBeGreaterThan(2);
    expect(argumentsOf(0).join('')).toBe('{"command":["echo","x"]}');
    expect(argumentsOf(1).join('')).toBe('{"input":"***"}');
    expect(life.slice(-3)).toEqual(['tool_calls', expect.objectContaining({ choices: [] }), '[DONE]']);
  });

  test('has raw reasoning when the script says so', () => {
    expect(lifeOf(reply(think('short', { raw: 'at length' })))).toContainEqual({ reasoning_content: 'at' });
  });

  test.each<[ReplyOptions, unknown[]]>([
    [{ incomplete: 'max_output_tokens' }, ['length']],
    [{ incomplete: 'content_filter' }, ['content_filter']],
    [{}, ['stop']],
    [{ finishReason: 'eos' }, ['eos']],
  ])('that is %j ends with %j', (options, ending) => {
    expect(lifeOf(reply({ ...options, omitUsage: true }))).toEqual([role, ...ending, '[DONE]']);
  });

  test('that fails has an error and no end mark', () => {
    expect(lifeOf(reply({ failed: { code: 'c', message: 'm' } }))).toEqual([
      role,
      { error: { type: 'c', code: 'c', message: 'm' } },
    ]);
  });

  test('may set its tokens and send frames as they are', () => {
    const chunks = chunksOf(reply(raw('{"x":1}'), { usage: { inputTokens: 7, cachedInputTokens: 3 }, id: 'mine' }));
    expect(chunks[1]).toEqual({ x: 1 });
    expect(chunks.at(-2)).toMatchObject({
      id: 'mine',
      usage: { prompt_tokens: 7, total_tokens: 27, prompt_tokens_details: { cached_tokens: 3 } },
    });
  });

  test('has deltas that join to any text', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(texts, texts, (said, args) => {
        const life = lifeOf(reply(say(said), think(said), call('f', args)));
        const joined = (texts: readonly (string | undefined)[]) => texts.join('');
        expect(joined(life.map((delta) => delta.content))).toBe(said);
        expect(joined(life.map((delta) => delta.reasoning_content))).toBe(said);
        expect(joined(life.map((delta) => delta.tool_calls?.[0].function.arguments))).toBe(args);
      }),
    );
  });
});

test('the server sends usage to clients that ask for it', async () => {
  const model = await startScriptedModel(() => reply(say('hi')));
  const ask = (body: object) =>
    new Promise<string>((resolve, reject) => {
      const sent = request(`${model.url}/chat/completions`, { method: 'POST' }, async (response) => {
        const chunks = await response.toArray();
        resolve(Buffer.concat(chunks).toString());
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  try {
    expect(await ask({ model: 'm', messages: [] })).not.toContain('prompt_tokens');
    expect(await ask({ model: 'm', messages: [], stream_options: { include_usage: true } })).toContain('prompt_tokens');
    expect(model.unexpected).toEqual([]);
    expect(model.requests[1]?.body.messages).toEqual([]);
  } finally {
    await model.close();
  }
});
