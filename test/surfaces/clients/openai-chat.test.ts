import type OpenAI from 'openai';
import { makeParseableResponseFormat } from 'openai/lib/parser';
import { describe, expect, test } from 'vitest';
import { call, reply, say, think } from '../../../src/testing/index.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';
import { openaiScene } from './openai-scene.ts';

type Completion = OpenAI.Chat.ChatCompletion;
type Asked = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;

const WEATHER = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const TOOLS: OpenAI.Chat.ChatCompletionFunctionTool[] = [{ type: 'function', function: WEATHER }];

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const ASKED = { model: 'm', messages: [{ role: 'user', content: 'Which colour?' }] } satisfies Asked;

/** Both ways to ask, which must return the same. */
const WAYS = {
  'in one piece': (client: OpenAI, asked: Asked): Promise<Completion> => client.chat.completions.create(asked),
  streaming: (client: OpenAI, asked: Asked): Promise<Completion> =>
    client.chat.completions
      .stream({ ...asked, stream: true, stream_options: { include_usage: true } })
      .finalChatCompletion(),
} as const;

const CASES = (['chat', 'responses'] as const).flatMap((server) =>
  (Object.keys(WAYS) as (keyof typeof WAYS)[]).map((way) => ({ server, way, ask: WAYS[way] })),
);

describe.each(CASES)('client.chat.completions with a $server server, $way', ({ server, way, ask }) => {
  const testOne = testInTurn(Number(server === 'chat') + Number(way === 'streaming'));

  testOne('gets the text and the usage', async () => {
    const { client } = await openaiScene(server, [reply(say('The sky is blue.'))]);
    const completion = await ask(client, ASKED);
    expect(completion.object).toBe('chat.completion');
    expect(completion.choices).toMatchObject([
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'The sky is blue.' } },
    ]);
    expect(completion.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 });
  });

  testOne('gets parallel calls, and sends their outputs back', async () => {
    const { client, model } = await openaiScene(server, [
      reply(
        call('weather', { city: 'Bern' }, { callId: 'call_a' }),
        call('weather', { city: 'Rome' }, { callId: 'call_b' }),
      ),
      reply(say('Both are sunny.')),
    ]);
    const asked = { ...ASKED, tools: TOOLS };
    const [choice] = (await ask(client, asked)).choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const calls = choice?.message.tool_calls ?? [];
    expect(calls).toMatchObject([
      { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
      { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    ]);
    const outputs = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: `sun for ${id}` }));
    const message = { role: 'assistant' as const, content: null, tool_calls: calls };
    const second = await ask(client, { ...asked, messages: [...ASKED.messages, message, ...outputs] });
    expect(second.choices[0]?.message.content).toBe('Both are sunny.');
    const { body } = model.requests[1] ?? {};
    if (server === 'chat') {
      expect(body?.messages?.slice(1)).toMatchObject([
        { role: 'assistant', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] },
        { role: 'tool', tool_call_id: 'call_a', content: 'sun for call_a' },
        { role: 'tool', tool_call_id: 'call_b', content: 'sun for call_b' },
      ]);
    } else {
      expect(body?.input?.slice(1)).toMatchObject([
        { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Bern"}' },
        { type: 'function_call', call_id: 'call_b', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call_output', call_id: 'call_a', output: 'sun for call_a' },
        { type: 'function_call_output', call_id: 'call_b', output: 'sun for call_b' },
      ]);
    }
  });

  testOne('sends images', async () => {
    const { client, model } = await openaiScene(server, [reply(say('A pixel.'))]);
    const content: OpenAI.Chat.ChatCompletionContentPart[] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ];
    await ask(client, { model: 'm', messages: [{ role: 'user', content }] });
    const { body } = model.requests[0] ?? {};
    if (server === 'chat') expect(body?.messages?.[0]?.content).toEqual(content);
    else {
      expect(body?.input?.[0]).toMatchObject({
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: PIXEL },
        ],
      });
    }
  });

  testOne('forces one tool', async () => {
    const { client, model } = await openaiScene(server, [reply(call('weather', { city: 'Bern' }))]);
    await ask(client, {
      ...ASKED,
      tools: TOOLS,
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      max_completion_tokens: 500,
      temperature: 0.5,
    });
    const { body } = model.requests[0] ?? {};
    expect(body).toMatchObject({ parallel_tool_calls: false, temperature: 0.5 });
    if (server === 'chat') {
      expect(body?.tool_choice).toEqual({ type: 'function', function: { name: 'weather' } });
      expect(body?.max_completion_tokens).toBe(500);
    } else {
      expect(body?.tool_choice).toEqual({ type: 'function', name: 'weather' });
      expect(body?.max_output_tokens).toBe(500);
    }
  });
});

describe.each(['chat', 'responses'] as const)('client.chat.completions with a %s server', (server) => {
  test.each([false, true])('runs the tools itself (stream: %s)', async (stream) => {
    const { client, model } = await openaiScene(server, [
      reply(
        say('Let me see.'),
        call('weather', { city: 'Bern' }, { callId: 'call_a' }),
        call('weather', { city: 'Rome' }, { callId: 'call_b' }),
      ),
      reply(say('Both are sunny.')),
    ]);
    const asked: string[] = [];
    const weather = (given: string) => {
      asked.push((JSON.parse(given) as { city: string }).city);
      return 'sun';
    };
    const tools = [{ type: 'function' as const, function: { ...WEATHER, function: weather } }];
    const runner = stream
      ? client.chat.completions.runTools({ ...ASKED, tools, stream: true })
      : client.chat.completions.runTools({ ...ASKED, tools });
    expect(await runner.finalContent()).toBe('Both are sunny.');
    expect(asked).toEqual(['Bern', 'Rome']);
    expect(model.requests).toHaveLength(2);
  });

  test('parses structured output', async () => {
    const answers = [reply(say('{"colour":"blue"}')), reply(say('{"colour":"green"}'))];
    const { client, model } = await openaiScene(server, answers);
    const schema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
    const json_schema = { name: 'answer', schema, strict: true };
    const response_format = makeParseableResponseFormat({ type: 'json_schema', json_schema }, (content): unknown =>
      JSON.parse(content),
    );
    const whole = await client.chat.completions.parse({ ...ASKED, response_format });
    expect(whole.choices[0]?.message.parsed).toEqual({ colour: 'blue' });
    const streamed = await client.chat.completions.stream({ ...ASKED, response_format }).finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual({ colour: 'green' });
    for (const { body } of model.requests) {
      if (server === 'chat') expect(body.response_format).toEqual({ type: 'json_schema', json_schema });
      else expect(body.text).toEqual({ format: { type: 'json_schema', ...json_schema } });
    }
  });

  test('gets the reasoning', async () => {
    const thinking = reply(think('I look at the sky.'), say('Blue.'));
    const { client, model } = await openaiScene(server, [thinking, thinking]);
    const asked = { ...ASKED, reasoning_effort: 'high' as const };
    const { choices } = await client.chat.completions.create(asked);
    expect(choices[0]?.message).toMatchObject({ content: 'Blue.', reasoning_content: 'I look at the sky.' });
    const streamed = { content: '', reasoning_content: '' };
    for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
      const delta: { content?: string | null; reasoning_content?: string } = chunk.choices[0]?.delta ?? {};
      streamed.content += delta.content ?? '';
      streamed.reasoning_content += delta.reasoning_content ?? '';
    }
    expect(streamed).toEqual({ content: 'Blue.', reasoning_content: 'I look at the sky.' });
    for (const { body } of model.requests) {
      expect(server === 'chat' ? body.reasoning_effort : body.reasoning).toEqual(
        server === 'chat' ? 'high' : { effort: 'high' },
      );
    }
  });

  test('gets the usage in a stream only on request', async () => {
    const { client } = await openaiScene(server, [reply(say('Blue.')), reply(say('Green.'))]);
    const chunks = async (options: object) => {
      const stream = await client.chat.completions.create({ ...ASKED, ...options, stream: true });
      const list: OpenAI.Chat.ChatCompletionChunk[] = [];
      for await (const chunk of stream) list.push(chunk);
      return list;
    };
    const asked = await chunks({ stream_options: { include_usage: true } });
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 100, total_tokens: 120 } });
    const plain = await chunks({});
    expect(plain.map(({ usage }) => usage ?? null).filter((usage) => usage !== null)).toEqual([]);
    expect(plain.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(new Set(plain.map(({ id }) => id)).size).toBe(1);
  });
});
