import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { eventsIn, PATHS, requestFor, TESTED_WIRES, type TestedWire, understood } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

const EVENTS = [
  {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
];
const MESSAGE = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const LINES = [
  { model: 'm', created_at: 'x', message: { role: 'assistant', content: 'Hello.' }, done: false },
  { model: 'm', created_at: 'x', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
const chunkOf = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`;
const choiceOf = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] });
const CHUNKS = [
  choiceOf({ role: 'assistant', content: 'Hello.' }, null),
  choiceOf({}, 'stop'),
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
].map(chunkOf);
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [
    {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
    },
  ],
};
const RESPONSE_EVENTS = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.output_item.done', output_index: 0, item: RESPONSE.output[0] },
  { type: 'response.completed', response: RESPONSE },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

interface Endless {
  readonly says: string;
  readonly wire: TestedWire;
  readonly type: string;
  readonly body: string;
  /** Text that the server sends again and again after the stop reason. */
  readonly after: string;
}

const ENDLESS: readonly Endless[] = [
  {
    says: 'pings',
    wire: 'messages',
    type: 'text/event-stream',
    body: MESSAGE,
    after: 'event: ping\ndata: {"type":"ping"}\n\n',
  },
  { says: 'comments', wire: 'messages', type: 'text/event-stream', body: MESSAGE, after: ': alive\n\n' },
  { says: 'nothing', wire: 'messages', type: 'text/event-stream', body: MESSAGE, after: '' },
  { says: 'nothing', wire: 'chat', type: 'text/event-stream', body: CHUNKS.slice(0, 2).join(''), after: '' },
  {
    says: 'comments',
    wire: 'chat',
    type: 'text/event-stream',
    body: CHUNKS.slice(0, 2).join(''),
    after: ': alive\n\n',
  },
  {
    says: 'empty pieces',
    wire: 'chat',
    type: 'text/event-stream',
    body: CHUNKS.join(''),
    after: chunkOf(choiceOf({}, null)),
  },
  { says: 'nothing', wire: 'responses', type: 'text/event-stream', body: RESPONSE_EVENTS, after: '' },
  { says: 'empty lines', wire: 'ollama', type: 'application/x-ndjson', body: LINES, after: '\n' },
  { says: 'nothing', wire: 'ollama', type: 'application/x-ndjson', body: LINES, after: '' },
];

/** Starts a server that says why the model stopped, and never ends its answer. */
function startEndless({ type, body, after }: Endless) {
  return startServer((response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type });
    response.write(body);
    const pings = setInterval(() => after !== '' && response.write(after), 20);
    response.on('close', () => clearInterval(pings));
  });
}

test.each(ENDLESS)('an answer over $wire ends soon after its stop reason, though $says follow', async (endless) => {
  const server = await startEndless(endless);
  const { url, report } = await startTestGateway(server.url, { wire: endless.wire });
  const asked = TESTED_WIRES.map((client) => ask(`${url}${PATHS[client]}`, requestFor(client, { stream: true })));
  const answers = await Promise.all(asked);
  for (const [n, { status, text }] of answers.entries()) {
    const client = TESTED_WIRES[n] ?? 'chat';
    expect({ status, ...understood(client, text, true) }).toMatchObject({ status: 200, text: 'Hello.' });
    expect(await report(n + 1)).toMatchObject({ status: 200, error: null });
  }
});

test('usage after the finish signal counts, though the server ends nothing', async () => {
  const server = await startServer((response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`${CHUNKS[0]}${CHUNKS[1]}`, () => setImmediate(() => response.write(CHUNKS[2])));
  });
  const { url } = await startTestGateway(server.url, { wire: 'chat' });
  const fields = { stream: true, stream_options: { include_usage: true } };
  const { text } = await ask(`${url}${PATHS.chat}`, requestFor('chat', fields));
  const usage = { prompt_tokens: 5, completion_tokens: 2 };
  expect(understood('chat', text, true)).toMatchObject({ text: 'Hello.', usage });
});

/** How servers name the text at which a model stopped. Other servers do not name it, and numbers are tokens. */
const STOPS = [
  { fields: { stop_reason: 'END' }, told: { stop_reason: 'stop_sequence', stop_sequence: 'END' } },
  { fields: { matched_stop: 'END' }, told: { stop_reason: 'stop_sequence', stop_sequence: 'END' } },
  { fields: { matched_stop: 151_645 }, told: { stop_reason: 'end_turn', stop_sequence: null } },
  { fields: { stop_reason: 'other' }, told: { stop_reason: 'end_turn', stop_sequence: null } },
  { fields: {}, told: { stop_reason: 'end_turn', stop_sequence: null } },
];

describe.each([true, false])('with stream %s', (stream) => {
  test.each(STOPS)(
    'a Messages client is told the text at which the model stopped ($fields)',
    async ({ fields, told }) => {
      const server = await startServer((response) => {
        if (!stream) {
          const choice = { index: 0, message: { role: 'assistant', content: 'One' }, finish_reason: 'stop', ...fields };
          sendJson(response, 200, { id: 'c', choices: [choice] });
          return;
        }
        const chunks = [
          { id: 'c', choices: [{ index: 0, delta: { content: 'One' }, finish_reason: null }] },
          { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...fields }] },
        ];
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
      });
      const { url } = await startTestGateway(server.url, { wire: 'chat' });
      const body = { ...requestFor('messages', { stream }), stop_sequences: ['STOP', 'END'] };
      const { text } = await ask(`${url}${PATHS.messages}`, body);
      expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ stop: ['STOP', 'END'] });
      const last: unknown = stream
        ? eventsIn(text).find(({ type }) => type === 'message_delta')?.delta
        : JSON.parse(text);
      expect(last).toMatchObject(told);
    },
  );
});
