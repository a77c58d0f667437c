import type OpenAI from 'openai';
import { makeParseableTextFormat } from 'openai/lib/parser';
import { describe, expect, test } from 'vitest';
import { call, reply, say, think } from '../../../src/testing/index.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';
import type { WireName } from './one-wire-model.ts';
import { openaiScene } from './openai-scene.ts';
import { testClientsIn } from './other-clients.ts';

type Response = OpenAI.Responses.Response;
type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming;

const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather in a city.',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

const SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
  additionalProperties: false,
};

/** Both ways to ask, which must return the same. */
const WAYS = {
  'in one piece': (client: OpenAI, asked: Asked): Promise<Response> => client.responses.create(asked),
  streaming: (client: OpenAI, asked: Asked): Promise<Response> =>
    client.responses.stream({ ...asked, stream: true }).finalResponse(),
} as const;

const CASES = (['chat', 'responses'] as const).flatMap((server) =>
  (Object.keys(WAYS) as (keyof typeof WAYS)[]).map((way) => ({ server, way, ask: WAYS[way] })),
);

describe.each(CASES)('client.responses with a $server server, $way', ({ server, way, ask }) => {
  const testOne = testInTurn(Number(server === 'chat') + Number(way === 'streaming'));

  testOne('gets the text and the usage', async () => {
    const { client } = await openaiScene(server, [reply(say('The sky is blue.'))]);
    const response = await ask(client, { model: 'm', input: 'Which colour?', metadata: { a: 'b' } });
    expect(said(response)).toBe('The sky is blue.');
    expect(response).toMatchObject({ object: 'response', status: 'completed', error: null });
    expect(response.id).toMatch(/^resp_/);
    expect(response.usage).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    });
    if (server === 'chat') expect(response.metadata).toEqual({ a: 'b' });
  });

  testOne('gets parallel calls, and sends their outputs back', async () => {
    const { client, model } = await openaiScene(server, [
      reply(
        call('weather', { city: 'Bern' }, { callId: 'call_a' }),
        call('weather', { city: 'Rome' }, { callId: 'call_b' }),
      ),
      reply(say('Both are sunny.')),
    ]);
    const asked: Asked = { model: 'm', input: 'How is it in Bern and Rome?', tools: [WEATHER], store: false };
    const first = await ask(client, asked);
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name, call_id, arguments: args }) => [name, call_id, JSON.parse(args)])).toEqual([
      ['weather', 'call_a', { city: 'Bern' }],
      ['weather', 'call_b', { city: 'Rome' }],
    ]);
    const outputs = calls.map(({ call_id }) => ({
      type: 'function_call_output' as const,
      call_id,
      output: `sun for ${call_id}`,
    }));
    const input = [{ role: 'user' as const, content: 'How is it in Bern and Rome?' }, ...calls, ...outputs];
    expect(said(await ask(client, { ...asked, input }))).toBe('Both are sunny.');
    expect(historyOf(server, model.requests[1]?.body)).toEqual([
      'user How is it in Bern and Rome?',
      'call weather call_a {"city":"Bern"}',
      'call weather call_b {"city":"Rome"}',
      'output call_a sun for call_a',
      'output call_b sun for call_b',
    ]);
  });

  testOne('sends images and instructions', async () => {
    const { client, model } = await openaiScene(server, [reply(say('A pixel.'))]);
    await ask(client, {
      model: 'm',
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: PIXEL, detail: 'auto' },
          ],
        },
      ],
    });
    const body = model.requests[0]?.body;
    if (server === 'responses') expect(body).toMatchObject({ instructions: 'Be brief.' });
    else expect(body?.messages?.[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
    const message = server === 'chat' ? body?.messages?.[1] : body?.input?.[0];
    expect((message as Body | undefined)?.content).toMatchObject([
      { text: 'What is this?' },
      server === 'chat' ? { type: 'image_url', image_url: { url: PIXEL } } : { type: 'input_image', image_url: PIXEL },
    ]);
  });

  testOne('gets the reasoning, and sends it back', async () => {
    const { client, model } = await openaiScene(server, [
      reply(think('I look at the sky.'), call('weather', { city: 'Bern' }, { callId: 'call_a' })),
      reply(say('Sunny.')),
    ]);
    const asked: Asked = {
      model: 'm',
      input: 'How is it?',
      tools: [WEATHER],
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    };
    const { output } = await ask(client, asked);
    expect(output[0]).toMatchObject({ type: 'reasoning', summary: [{ text: 'I look at the sky.' }] });
    const input = [
      { role: 'user' as const, content: 'How is it?' },
      ...(output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output' as const, call_id: 'call_a', output: 'sun' },
    ];
    await ask(client, { ...asked, input });
    const [first, second] = model.requests.map(({ body }) => body);
    if (server === 'responses') {
      expect(first?.reasoning).toEqual({ effort: 'high', summary: 'auto' });
      expect(second?.input?.[1]).toMatchObject({ type: 'reasoning', summary: [{ text: 'I look at the sky.' }] });
    } else {
      expect(first?.reasoning_effort).toBe('high');
      expect(second?.messages?.[1]).toMatchObject({ role: 'assistant', reasoning_content: 'I look at the sky.' });
    }
  });

  testOne('forces one tool', async () => {
    const { client, model } = await openaiScene(server, [reply(call('weather', { city: 'Bern' }))]);
    await ask(client, {
      model: 'm',
      input: 'Hello',
      tools: [WEATHER],
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
      max_output_tokens: 500,
      temperature: 0.5,
    });
    const body = model.requests[0]?.body;
    expect(body).toMatchObject({ parallel_tool_calls: false, temperature: 0.5 });
    expect(body?.tool_choice).toEqual(
      server === 'chat' ? { type: 'function', function: { name: 'weather' } } : { type: 'function', name: 'weather' },
    );
    expect(body?.[server === 'chat' ? 'max_completion_tokens' : 'max_output_tokens'] ?? body?.max_tokens).toBe(500);
  });

  testOne('continues a response, reads it again and deletes it', async () => {
    const { client, model } = await openaiScene(server, [reply(say('Blue.')), reply(say('Green.'))]);
    const first = await ask(client, { model: 'm', input: 'A colour?' });
    const second = await ask(client, { model: 'm', input: 'Another?', previous_response_id: first.id });
    expect(said(second)).toBe('Green.');
    expect(historyOf(server, model.requests[1]?.body)).toEqual(['user A colour?', 'assistant Blue.', 'user Another?']);
    if (server === 'chat') expect(second.previous_response_id).toBe(first.id);
    expect(second.output).toMatchObject((await client.responses.retrieve(second.id)).output);
    const items = [];
    for await (const item of client.responses.inputItems.list(second.id)) items.push(item);
    expect(items.map((item) => ('role' in item ? item.role : item.type))).toEqual(['user', 'assistant', 'user']);
    await client.responses.delete(second.id);
    await expect(client.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe.each(['chat', 'responses'] as const)('client.responses with a %s server', (server) => {
  test('parses structured output', async () => {
    const answers = [reply(say('{"colour":"blue"}')), reply(say('{"colour":"green"}'))];
    const { client, model } = await openaiScene(server, answers);
    const format = makeParseableTextFormat(FORMAT, (content): unknown => JSON.parse(content));
    const whole = await client.responses.parse({ ...ASKED, text: { format } });
    expect(whole.output_parsed).toEqual({ colour: 'blue' });
    const streamed = await client.responses.stream({ ...ASKED, text: { format } }).finalResponse();
    expect(streamed.output_parsed).toEqual({ colour: 'green' });
    const { type, ...rest } = FORMAT;
    for (const { body } of model.requests) {
      if (server === 'chat') expect(body.response_format).toEqual({ type, json_schema: rest });
      else expect(body.text).toEqual({ format: FORMAT });
    }
  });

  test('gets every event as it happens', async () => {
    const { client } = await openaiScene(server, [
      reply(think('Hm.'), say('Let me see.'), call('weather', { city: 'Bern' }, { callId: 'call_a' })),
    ]);
    const include = ['reasoning.encrypted_content' as const];
    const stream = await client.responses.create({ ...ASKED, tools: [WEATHER], include, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
    const types = (fits: (event: OpenAI.Responses.ResponseStreamEvent) => boolean) => [
      ...new Set(events.filter(fits).map(({ type }) => type.replace('response.', ''))),
    ];
    expect(types((event) => 'response' in event)).toEqual(['created', 'in_progress', 'completed']);
    const lives = [0, 1, 2].map((index) => types((event) => 'output_index' in event && event.output_index === index));
    expect(lives).toEqual([lifeOf('reasoning_summary_text', 'reasoning_summary_part'), MESSAGE_LIFE, CALL_LIFE]);
  });
});

const ASKED = { model: 'm', input: 'Which colour?' } as const;
const FORMAT = { type: 'json_schema' as const, name: 'answer', schema: SCHEMA, strict: true };

const lifeOf = (text: string, part: string) => [
  'output_item.added',
  `${part}.added`,
  `${text}.delta`,
  `${text}.done`,
  `${part}.done`,
  'output_item.done',
];
const MESSAGE_LIFE = lifeOf('output_text', 'content_part');
const CALL_LIFE = MESSAGE_LIFE.filter((type) => !type.startsWith('content_part')).map((type) =>
  type.replace('output_text', 'function_call_arguments'),
);

/** Returns the text of a response. The package has `output_text` on bodies only. */
function said({ output }: Response): string {
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('');
}

if (process.env.OXBOW_CLIENTS) testClientsIn(process.env.OXBOW_CLIENTS);

type Body = Readonly<Record<string, unknown>>;

/** Returns the history that a server of either wire got. */
function historyOf(server: WireName, body: Body | undefined): string[] {
  const list = (body?.[server === 'chat' ? 'messages' : 'input'] ?? []) as Body[];
  return list.flatMap((entry) => {
    const calls = (entry.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
    if (calls.length > 0) return calls.map(({ id, function: f }) => `call ${f.name} ${id} ${f.arguments}`);
    if (entry.type === 'function_call') return `call ${entry.name} ${entry.call_id} ${entry.arguments}`;
    if (entry.type === 'function_call_output') return `output ${entry.call_id} ${entry.output}`;
    if (entry.role === 'tool') return `output ${entry.tool_call_id} ${entry.content}`;
    return `${entry.role} ${textOf(entry.content)}`;
  });
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join('');
}
