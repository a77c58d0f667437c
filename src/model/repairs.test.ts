import { describe, expect, test } from 'vitest';
import type { Item } from '../base/item.ts';
import type { ModelRequest, StreamedEvent } from '../base/model.ts';
import { repairStream } from '../repair/repair-stream.ts';
import { wire as chat } from '../wire/chat/wire.ts';
import type { ModelNotice } from './create-model.ts';
import { ask, COMPLETED, REQUEST, sendJson, sendStream, startServer, testModel } from './test-loopback.ts';

const repair = async () => repairStream;
const chatModel = (url: string, onNotice?: (notice: ModelNotice) => void) =>
  testModel(url, {}, { wire: chat, repair, ...(onNotice && { onNotice }) });

const SHELL: ModelRequest = {
  ...REQUEST,
  tools: [
    {
      type: 'function',
      name: 'shell',
      description: '',
      strict: false,
      parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
    },
  ],
};

const callsOf = (events: readonly StreamedEvent[]) =>
  events.flatMap((event) =>
    event.type === 'item.done' && event.item.type === 'function_call' ? [[event.item.name, event.item.arguments]] : [],
  );
const repairsOf = (events: readonly StreamedEvent[]) =>
  events.flatMap((event) => (event.type === 'repair' ? [event.repair.id] : []));

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const callChunk = (args: string) =>
  chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'shell', arguments: args } }] });

describe('a whole answer where a stream was asked for', () => {
  const body = {
    id: 'c',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{"cmd":"ls"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  };

  test('is a normal answer', async () => {
    const server = await startServer((response) => sendJson(response, 200, body));
    const { events, error } = await ask(chatModel(server.url), undefined, SHELL);
    expect(error).toBeUndefined();
    expect(callsOf(events)).toEqual([['shell', '{"cmd":"ls"}']]);
    expect(repairsOf(events)).toEqual(['F13']);
    expect(events.at(-1)).toMatchObject({ type: 'completed', usage: { totalTokens: 7 } });
  });

  test('that is an error is thrown as an error', async () => {
    const server = await startServer((response) => sendJson(response, 200, { error: { message: 'no model' } }));
    const { error } = await ask(chatModel(server.url), undefined, SHELL);
    expect(error).toMatchObject({ code: 'invalid_response', message: expect.stringContaining('no model') });
  });
});

test('a stream with the type of JSON streams', async () => {
  let finish = () => {};
  const server = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(chunk({ content: 'Hi' }));
    finish = () => response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  const types: string[] = [];
  const signal = new AbortController().signal;
  for await (const event of chatModel(server.url).stream(SHELL, { signal, turnId: 't' })) {
    types.push(event.type);
    if (event.type === 'text.delta') finish();
  }
  expect(types).toEqual(['created', 'item.started', 'text.delta', 'item.done', 'completed']);
});

describe('a refusal that contains the text of the model', () => {
  const refusal = (failed_generation: string) => ({
    error: { message: 'Failed to call a function.', type: 'invalid_request_error', failed_generation },
  });

  test('becomes a call where one can be read', async () => {
    const server = await startServer((response) =>
      sendJson(response, 400, refusal('<function=shell={"cmd": "ls"}</function>')),
    );
    const { events, error } = await ask(chatModel(server.url), undefined, SHELL);
    expect(error).toBeUndefined();
    expect(callsOf(events).map(([name, args]) => [name, JSON.parse(args ?? '')])).toEqual([['shell', { cmd: 'ls' }]]);
    expect(repairsOf(events)).toContain('D13');
  });

  test('is a retryable failure otherwise', async () => {
    const server = await startServer((response) => sendJson(response, 400, refusal('I would like to …')));
    const { events, error } = await ask(chatModel(server.url), undefined, SHELL);
    expect(callsOf(events)).toEqual([]);
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('Failed to call a function.') });
  });
});

describe('a connection that breaks without a finish signal', () => {
  const breakAfter = (...pieces: readonly string[]) =>
    startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(pieces.join(''), () => setTimeout(() => response.destroy(), 20));
    });

  test('after a whole call makes that call', async () => {
    const server = await breakAfter(
      callChunk('{"cmd":'),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"ls"}' } }] }),
    );
    const { events, error } = await ask(chatModel(server.url), undefined, SHELL);
    expect(error).toBeUndefined();
    expect(callsOf(events)).toEqual([['shell', '{"cmd":"ls"}']]);
    expect(repairsOf(events)).toEqual(['A5']);
  });

  test('inside a call makes no call', async () => {
    const server = await breakAfter(callChunk('{"cmd":"rm -r'));
    const { events, error } = await ask(chatModel(server.url), undefined, SHELL);
    expect(callsOf(events)).toEqual([]);
    expect(error).toMatchObject({ code: 'stream_broken', retryable: true });
  });
});

test('a call is made soon after the finish signal of a server that never ends its answer', async () => {
  const server = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`${callChunk('{"cmd":"ls"}')}${chunk({}, 'tool_calls')}`);
  });
  const { events, error } = await ask(chatModel(server.url), undefined, SHELL);
  expect(error).toBeUndefined();
  expect(callsOf(events)).toEqual([['shell', '{"cmd":"ls"}']]);
  expect(events.at(-1)?.type).toBe('completed');
});

test('the frame in which calls begin is reported', async () => {
  const server = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk({ content: 'Hi' })}${callChunk('{"cmd":"ls"}')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
  });
  const notices: ModelNotice[] = [];
  const { events } = await ask(
    chatModel(server.url, (notice) => notices.push(notice)),
    undefined,
    SHELL,
  );
  expect(notices).toEqual([{ type: 'calls.received', frame: 2, calls: 1 }]);
  expect(repairsOf(events)).toEqual([]);
});

test('reasoning that the server cannot read is left out, also of later requests', async () => {
  const reasoning = (id: string): Item => ({
    type: 'reasoning',
    id,
    summary: [],
    content: null,
    encrypted_content: id,
  });
  const server = await startServer((response, turn) => {
    if (turn > 1) sendStream(response, COMPLETED);
    else sendJson(response, 400, { error: { code: 'invalid_encrypted_content', message: 'could not be verified' } });
  });
  const model = testModel(server.url);
  const foreign = reasoning('foreign');
  const first = await ask(model, undefined, { ...REQUEST, input: [foreign] });
  expect(first.error).toBeUndefined();
  expect(repairsOf(first.events)).toEqual(['E9']);
  const second = await ask(model, undefined, { ...REQUEST, input: [foreign, reasoning('own')] });
  expect(second.events.at(-1)).toEqual(COMPLETED);
  expect(server.requests.map(({ body }) => JSON.parse(body).input.map((item: Item) => item.id))).toEqual([
    ['foreign'],
    [],
    ['own'],
  ]);
});
