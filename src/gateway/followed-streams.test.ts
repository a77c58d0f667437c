import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { eventsIn, PATHS, requestFor, type TestedWire } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

/** Returns a gateway in front of a server that answers every request with these frames. */
async function startGateway(wire: TestedWire, frames: readonly (object | string)[]) {
  const text = frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('');
  const server = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(text);
  });
  const { url } = await startTestGateway(server.url, { wire });
  const post = async (client: TestedWire, stream: boolean) =>
    (await ask(`${url}${PATHS[client]}`, requestFor(client, { stream }))).text;
  return {
    sent: text,
    streamed: async (client: TestedWire) => eventsIn(await post(client, true)),
    bytes: (client: TestedWire) => post(client, true),
    whole: async (client: TestedWire) => JSON.parse(await post(client, false)),
  };
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'real-model',
  choices: [{ index: 0, delta, finish_reason }],
});
const piece = (index: number, text: string, head: object = {}) =>
  chunk({ tool_calls: [{ index, ...head, function: { ...('id' in head && { name: 'weather' }), arguments: text } }] });

/** Returns the types of events, and the indexes of their items. */
const outline = (events: readonly Readonly<Record<string, unknown>>[]) =>
  events.map(({ type, output_index }) =>
    [String(type).replace('response.', ''), ...(output_index === undefined ? [] : [output_index])].join(' '),
  );

describe('a Responses stream that is made from chat', () => {
  test('completes each item before the next one begins', async () => {
    const { streamed } = await startGateway('chat', [
      chunk({ role: 'assistant', reasoning_content: 'Two cities.' }),
      chunk({ content: 'I look.' }),
      piece(0, '{"city"', { id: 'call_1', type: 'function' }),
      piece(1, '{"city":', { id: 'call_2', type: 'function' }),
      piece(0, ':"Ulm"}'),
      piece(1, '"Bonn"}'),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ]);
    const events = await streamed('responses');
    expect(outline(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added 0', 'content_part.added 0', 'reasoning_text.delta 0'],
      ...['reasoning_text.done 0', 'content_part.done 0', 'output_item.done 0'],
      ...['output_item.added 1', 'content_part.added 1', 'output_text.delta 1'],
      ...['output_text.done 1', 'content_part.done 1', 'output_item.done 1'],
      ...['output_item.added 2', 'function_call_arguments.delta 2', 'function_call_arguments.delta 2'],
      ...['function_call_arguments.done 2', 'output_item.done 2'],
      ...['output_item.added 3', 'function_call_arguments.delta 3'],
      ...['function_call_arguments.done 3', 'output_item.done 3', 'completed'],
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
    expect(events.at(-1)).toMatchObject({
      response: {
        output: [
          { type: 'reasoning' },
          { type: 'message' },
          { call_id: 'call_1', arguments: '{"city":"Ulm"}' },
          { call_id: 'call_2', arguments: '{"city":"Bonn"}' },
        ],
      },
    });
  });
});

describe('a refusal', () => {
  const ofChat = [
    chunk({ role: 'assistant', refusal: 'I ' }),
    chunk({ refusal: 'cannot.' }),
    chunk({}, 'stop'),
    '[DONE]',
  ];
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
  const part = { type: 'refusal', refusal: 'I cannot.' };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const response = { id: 'resp_1', object: 'response', created_at: 5, model: 'real-model' };
  const whole = { ...item, content: [part] };
  const ofResponses = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, refusal: '' } },
    { type: 'response.refusal.delta', ...at, delta: 'I ' },
    { type: 'response.refusal.delta', ...at, delta: 'cannot.' },
    { type: 'response.refusal.done', ...at, refusal: 'I cannot.' },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item: whole },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [whole] } },
  ];

  test('of chat is a refusal to a Responses client', async () => {
    const { streamed, whole: body } = await startGateway('chat', ofChat);
    const events = await streamed('responses');
    expect(outline(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added 0', 'content_part.added 0'],
      ...['refusal.delta 0', 'refusal.delta 0', 'refusal.done 0', 'content_part.done 0'],
      ...['output_item.done 0', 'completed'],
    ]);
    expect(events.at(-1)).toMatchObject({ response: { output: [{ content: [part] }] } });
    expect(await body('responses')).toMatchObject({ output: [{ content: [part] }] });
  });

  test.each([
    ['chat', ofChat],
    ['responses', ofResponses],
  ] as const)('of %s is a refusal to a chat client', async (wire, frames) => {
    const { streamed, whole: body } = await startGateway(wire, frames);
    const [message] = (await body('chat')).choices;
    expect(message.message).toMatchObject({ content: null, refusal: 'I cannot.' });
    const deltas = (await streamed('chat')).flatMap(({ choices = [] }) =>
      (choices as { delta: { content?: string; refusal?: string } }[]).map(({ delta }) => delta),
    );
    expect(deltas.map(({ refusal = '' }) => refusal).join('')).toBe('I cannot.');
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('');
  });
});

describe('a Responses stream of a server that sends another id with each event', () => {
  const response = (id: string, output: readonly object[] = []) => ({
    response: { id, object: 'response', created_at: 5, model: 'real-model', status: 'in_progress', output },
  });
  const thought = (id: string, text?: string) => ({
    item: { id, type: 'reasoning', summary: text === undefined ? [] : [{ type: 'summary_text', text }] },
  });
  const message = (id: string, text?: string) => ({
    item: {
      ...{ id, type: 'message', role: 'assistant' },
      content: text === undefined ? [] : [{ type: 'output_text', text, annotations: [] }],
    },
  });
  const words = ['There', ' are', ' **', '3', '**.'];
  const frames = [
    { type: 'response.created', ...response('r1') },
    { type: 'response.output_item.added', output_index: 0, ...thought('a') },
    { type: 'response.reasoning_summary_text.delta', item_id: 'b', output_index: 0, summary_index: 0, delta: 'Hm.' },
    { type: 'response.output_item.done', output_index: 0, ...thought('c', 'Hm.') },
    { type: 'response.output_item.added', output_index: 1, ...message('d') },
    ...words.map((delta, n) => ({
      ...{ type: 'response.output_text.delta', item_id: `e${n}`, output_index: 1, content_index: 0, delta },
    })),
    { type: 'response.output_item.done', output_index: 1, ...message('f', words.join('')) },
    { type: 'response.completed', ...response('r2', [thought('g', 'Hm.').item, message('h', words.join('')).item]) },
  ];

  test('has one text and one thought for a chat client', async () => {
    const { streamed, whole } = await startGateway('responses', frames);
    const [choice] = (await whole('chat')).choices;
    expect(choice.message).toMatchObject({ content: 'There are **3**.', reasoning_content: 'Hm.' });
    const deltas = (await streamed('chat')).flatMap(({ choices = [] }) =>
      (choices as { delta: { content?: string; reasoning_content?: string } }[]).map(({ delta }) => delta),
    );
    expect(deltas.map(({ content = '' }) => content).join('')).toBe('There are **3**.');
    expect(deltas.map(({ reasoning_content = '' }) => reasoning_content).join('')).toBe('Hm.');
  });

  test('has one id for the response and for each item for a Responses client', async () => {
    const events = await (await startGateway('responses', frames)).streamed('responses');
    expect(outline(events)).toEqual(outline(frames));
    const idOf = (value: unknown) => (value as { readonly id?: string } | undefined)?.id;
    expect([...new Set(events.map(({ response: one, item, item_id }) => idOf(one) ?? idOf(item) ?? item_id))]).toEqual([
      ...['r1', 'a', 'd'],
    ]);
  });
});

test('a whole answer with two items of one id becomes a stream that adds each of them once', async () => {
  const thought = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
  const body = { id: 'resp_1', object: 'response', created_at: 5, model: 'real-model', status: 'completed' };
  const server = await startServer((response) => sendJson(response, 200, { ...body, output: [thought, thought] }));
  const { url } = await startTestGateway(server.url, { wire: 'responses' });
  const { text } = await ask(`${url}/v1/responses`, requestFor('responses', { stream: true }));
  const added = outline(eventsIn(text)).filter((line) => line.startsWith('output_item.added'));
  expect(added).toEqual(['output_item.added 0', 'output_item.added 1']);
});

test('calls of a Responses server without pieces get one, and nothing else changes', async () => {
  const item = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'weather', status: 'completed' };
  const whole = { ...item, arguments: '{"city":"Ulm"}' };
  const place = { item_id: 'fc_1', output_index: 0 };
  const response = { id: 'resp_1', object: 'response', created_at: 5, model: 'real-model', status: 'completed' };
  const [created, added, delta, ...rest] = [
    { type: 'response.created', response: { ...response, output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...place, delta: whole.arguments },
    { type: 'response.function_call_arguments.done', ...place, arguments: whole.arguments },
    { type: 'response.output_item.done', output_index: 0, item: whole },
    { type: 'response.completed', response: { ...response, output: [whole] } },
  ] as const;
  const healthy = await startGateway('responses', [created, added, delta, ...rest]);
  expect(await healthy.bytes('responses')).toBe(healthy.sent);
  const silent = await startGateway('responses', [created, added, ...rest]);
  expect(await silent.streamed('responses')).toEqual([created, added, delta, ...rest]);
});

test('a Responses stream without its beginning gets one with the time and the model', async () => {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
  const content = [{ type: 'output_text', text: 'Hi', annotations: [] }];
  const { streamed } = await startGateway('responses', [
    { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
    { type: 'response.completed', response: { id: 'resp_1', output: [{ ...item, content }] } },
  ]);
  const [created] = await streamed('responses');
  expect(created).toMatchObject({
    type: 'response.created',
    response: { object: 'response', created_at: expect.any(Number), model: 'alias', output: [], error: null },
  });
});
