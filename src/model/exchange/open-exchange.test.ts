import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Meter } from '../../base/model.ts';
import { loadClientWire } from '../../wire/registry.ts';
import { createServerMemory } from '../server-memory.ts';
import { ask, REQUEST, sendJson, startServer, testModel } from '../test-loopback.ts';

const CHAT =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** Starts a server that has answers for some paths, and a model that finds out which wire the server speaks. */
async function start(answer: (path: string, response: ServerResponse) => void) {
  const server = await startServer((response, _, { url = '' }: IncomingMessage) =>
    answer(url.replace('/v1', ''), response),
  );
  const memory = createServerMemory();
  const found: string[] = [];
  const open = () =>
    testModel(
      server.url,
      { wire: 'auto', requestMaxRetries: 0 },
      { memory, wires: { load: loadClientWire, known: () => undefined, onFound: (name) => void found.push(name) } },
    );
  return { model: open(), open, found, asked: () => server.requests.map(({ path }) => path.replace('/v1', '')) };
}

const onlyChat = (status: number) => (path: string, response: ServerResponse) =>
  path === '/chat/completions' ? response.end(CHAT) : response.writeHead(status).end();

test.each([404, 405])('after %i a server is asked over the other wire, from then on only over that', async (status) => {
  const { model, found, asked } = await start(onlyChat(status));
  const meter: Meter = { sentBytes: 0, receivedBytes: 0, retries: 0 };
  const options = { signal: new AbortController().signal, turnId: 't', meter };
  for await (const _ of model.stream(REQUEST, options));
  expect((await ask(model)).error).toBeUndefined();
  expect(asked()).toEqual(['/responses', '/chat/completions', '/chat/completions']);
  expect(found).toEqual(['chat']);
  expect(meter.retries).toBe(1);
});

test('a wire that another model found lacking is not tried', async () => {
  const { model, open, found, asked } = await start(onlyChat(404));
  await ask(model);
  expect((await ask(open())).error).toBeUndefined();
  expect(asked()).toEqual(['/responses', '/chat/completions', '/chat/completions']);
  expect(found).toEqual(['chat']);
});

test('other failures stay with the first wire', async () => {
  const { model, found, asked } = await start((_, response) => sendJson(response, 400, { error: { message: 'No.' } }));
  expect((await ask(model)).error).toMatchObject({ code: 'bad_request', message: 'No.' });
  expect([asked(), found]).toEqual([['/responses'], []]);
});

test('a server without any path fails with the error that has a reason', async () => {
  const silent = await start((_, response) => response.writeHead(404).end());
  const { error } = await ask(silent.model);
  expect(error?.message).toContain('/v1/responses');
  const speaking = await start((path, response) =>
    path === '/responses'
      ? response.writeHead(404).end()
      : sendJson(response, 404, { error: { message: 'The model does not exist.' } }),
  );
  expect((await ask(speaking.model)).error?.message).toContain('The model does not exist.');
  expect([silent.found, speaking.found]).toEqual([[], []]);
  expect(silent.asked()).toEqual(['/responses', '/chat/completions', '/messages']);
});
