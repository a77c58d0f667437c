import { describe, expect, test } from 'vitest';
import { startServer } from '../model/test-loopback.ts';
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
