import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Fault, fault, reply, say, startScriptedModel } from '../testing/index.ts';
import { PATHS, requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

const PROVIDER = { wire: 'chat', requestMaxRetries: 4, streamIdleTimeoutMs: 200 } as const;
const REQUEST = requestFor('chat', { stream: false });

async function startServer(...faults: readonly Fault[]) {
  const model = await startScriptedModel((_, n) => faults[n - 1] ?? reply(say('done')));
  onTestFinished(() => model.close());
  return model;
}

test('a request that failed is sent once more', async () => {
  const model = await startServer(fault.status(500, 'oops'));
  const { url } = await startTestGateway(model.url, PROVIDER);
  expect((await ask(`${url}${PATHS.chat}`, REQUEST)).status).toBe(200);
  expect(model.requests).toHaveLength(2);
});

test('a request that failed twice is left to the client', async () => {
  const model = await startServer(fault.status(500, 'oops'), fault.status(502, 'oops'));
  const { url } = await startTestGateway(model.url, PROVIDER);
  expect((await ask(`${url}${PATHS.chat}`, REQUEST)).status).toBe(502);
  expect(model.requests).toHaveLength(2);
});

test('a request that is not answered in time is not sent again', async () => {
  const model = await startServer(fault.hangBeforeHeaders());
  const { url } = await startTestGateway(model.url, PROVIDER);
  expect((await ask(`${url}${PATHS.chat}`, REQUEST)).status).toBe(504);
  expect(model.requests).toHaveLength(1);
});

test('a wait that the server asks for is left to the client', async () => {
  const model = await startServer(fault.status(503, 'busy', { 'retry-after': '30' }));
  const { url } = await startTestGateway(model.url, PROVIDER);
  expect((await ask(`${url}${PATHS.chat}`, REQUEST)).status).toBe(503);
  expect(model.requests).toHaveLength(1);
});

test('a server that accepts and never speaks TLS is tried once', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { url } = await startTestGateway(`https://127.0.0.1:${port}/v1`, PROVIDER);
  expect((await ask(`${url}${PATHS.chat}`, REQUEST)).status).toBe(504);
  expect(connections).toBe(1);
});
