import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ask } from '../../../../src/gateway/test-gateway.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { startModelServer } from './model-server.ts';
import { addressOf, PAIRS, requestOf } from './pairs.ts';
import { endStream, sayMore, startStream } from './slow-stream.ts';

const STREAMS = 100;
const STREAMED = PAIRS.filter(({ stream }) => stream);
const pairOf = (n: number) => STREAMED[n % STREAMED.length] ?? { client: 'chat', server: 'chat', stream: true };

/** Starts a gateway with streams that continue until the server ends them. */
async function withStreams(onAnswer: typeof startStream) {
  const server = await startModelServer(onAnswer);
  const gateway = await startGatewayProcess({ server: server.url });
  const answers = Array.from({ length: STREAMS }, (_, n) =>
    ask(addressOf(pairOf(n), gateway.url), requestOf(pairOf(n), `stream ${n}`)),
  );
  // Answers that no test awaits may fail.
  for (const answer of answers) answer.catch(() => {});
  await eventually(() => server.exchanges.length).toBe(STREAMS);
  return { server, gateway, answers };
}

/** Resolves when no new client gets a connection. */
async function untilClosed(port: number): Promise<void> {
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => socket.destroy());
      socket.unref();
    });
  await eventually(isOpen).toBe(false);
}

test('SIGTERM lets all streams finish, accepts no more, and exits cleanly', async () => {
  const { server, gateway, answers } = await withStreams(startStream);
  // A connection in use accepts another request before the first answer has ended.
  const socket = connect(gateway.port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString();
  });
  const body = JSON.stringify(requestOf({ client: 'chat', server: 'chat', stream: true }, 'in line'));
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head + body);
  await eventually(() => heard).toContain('begin');

  gateway.program.kill('SIGTERM');
  await untilClosed(gateway.port);
  socket.write(head + body);
  for (const exchange of server.exchanges) sayMore(exchange, 'after the signal');
  await eventually(() => heard).toContain('after the signal');
  for (const exchange of server.exchanges) endStream(exchange);
  for (const [n, answer] of (await Promise.all(answers)).entries()) {
    const text = 'begin after the signal';
    expect(judgeAnswer(pairOf(n), answer)).toMatchObject({ end: 'completed', text });
  }
  expect((await gateway.program.wait()).code).toBe(0);
  expect(heard).toContain('data: [DONE]');
  expect(server.exchanges).toHaveLength(STREAMS + 1);
  const statuses = gateway.exchanges().map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(STREAMS + 1);
  expect(statuses.filter((status) => status !== 200)).toEqual([503]);
  expect(heard).toContain('HTTP/1.1 503 ');
});

test('a second SIGTERM ends the program at once', async () => {
  const { gateway, answers, server } = await withStreams(startStream);
  gateway.program.kill('SIGTERM');
  await untilClosed(gateway.port);
  gateway.program.kill('SIGTERM');
  expect((await gateway.program.wait()).code).toBe(143);
  expect((await Promise.allSettled(answers)).every(({ status }) => status === 'rejected')).toBe(true);
  await eventually(() => server.connections()).toBe(0);
});

test('SIGTERM waits for a client that has not read its answer yet', async () => {
  const content = 'x'.repeat(16 * 1024 * 1024);
  const server = await startModelServer(({ response }) => {
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'c1', object: 'chat.completion', choices: [choice] }));
  });
  const gateway = await startGatewayProcess({ server: server.url });
  const pair = { client: 'chat', server: 'chat', stream: false } as const;
  const client = send(addressOf(pair, gateway.url), { method: 'POST' });
  client.end(JSON.stringify(requestOf(pair)));
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  await gateway.event('gateway.exchange', 0);
  gateway.program.kill('SIGTERM');
  await untilClosed(gateway.port);
  let length = 0;
  for await (const bytes of incoming) length += (bytes as Buffer).byteLength;
  expect(length).toBeGreaterThan(content.length);
  expect(incoming.complete).toBe(true);
  expect((await gateway.program.wait()).code).toBe(0);
});
