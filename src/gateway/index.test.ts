import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { createGateway, type ExchangeReport } from './index.ts';
import { requestFor } from './test-answer.ts';
import { ask } from './test-gateway.ts';

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};
const ENV = { HOME: '/nonexistent' };

test('a program serves a gateway over its own server, and over fetch', async () => {
  const server = await startServer((response, _turn, { method }) =>
    sendJson(response, 200, method === 'GET' ? { object: 'list', data: [{ id: 'served', size: 7 }] } : COMPLETION),
  );
  const reports: ExchangeReport[] = [];
  const upstream = { url: server.url, wire: 'chat' as const, model: 'mine' };
  const gateway = createGateway({ env: ENV, upstream, onReport: (report) => reports.push(report) });
  const own = createServer(gateway.handle);
  onTestFinished(() => void own.close());
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;

  const answer = await ask(`${url}/v1/responses`, { ...requestFor('responses'), stream: false });
  expect(JSON.parse(answer.text)).toMatchObject({ object: 'response', status: 'completed' });
  expect(reports).toMatchObject([{ clientWire: 'responses', serverWire: 'chat', status: 200 }]);

  const models = await (await gateway.fetch(new Request('http://any/v1/models'))).json();
  expect(models).toMatchObject({ object: 'list', data: [{ id: 'mine' }, { id: 'served', size: 7 }] });
  expect(await (await gateway.fetch(new Request('http://any/metrics'))).text()).toContain('oxbow_gateway_active 0');

  gateway.reload({ env: { ...ENV, KEY: 'secret' }, settings: { gateway: { key_env: 'KEY' } } });
  expect((await gateway.fetch(new Request('http://any/v1/models'))).status).toBe(401);
  await gateway.drain(1000);
});

test('a server that lists no models leaves those with an entry', async () => {
  const server = await startServer((response) => sendJson(response, 500, { error: 'no' }));
  const gateway = createGateway({ env: ENV, upstream: { url: server.url, model: 'mine' } });
  const models = (await (await gateway.fetch(new Request('http://any/v1/models'))).json()) as { data: unknown[] };
  expect(models.data).toMatchObject([{ id: 'mine' }]);
});

test('models that a server of Ollama lists have the fields that clients of OpenAI expect', async () => {
  const server = await startServer((response) => sendJson(response, 200, { models: [{ name: 'm', size: 7 }] }));
  const url = server.url.replace(/\/v1$/, '/api');
  const gateway = createGateway({ env: ENV, upstream: { url, wire: 'ollama' } });
  const models = (await (await gateway.fetch(new Request('http://any/v1/models'))).json()) as { data: unknown[] };
  expect(models.data).toEqual([{ object: 'model', created: 0, owned_by: 'upstream', id: 'm', name: 'm', size: 7 }]);
});

test('an option that does not exist is an error', () => {
  expect(() => createGateway({ env: ENV, upstreem: { url: 'http://127.0.0.1:1' } } as never)).toThrow(
    'createGateway has no option "upstreem". Did you mean "upstream"?',
  );
});
