import { request as send } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../../src/gateway/test-answer.ts';
import { isFull } from '../../../harness/runs.ts';
import { callAnswer } from './call-answer.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { startModelServer } from './model-server.ts';
import { addressOf, nameOf, PAIRS, type Pair, pairIn, requestOf } from './pairs.ts';

/** Sends a request and closes the connection as soon as enough of the answer has arrived. */
function leaveAt(url: string, pair: Pair, hasEnough: (text: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const client = send(addressOf(pair, url), { method: 'POST', agent: false });
    client.on('error', () => {});
    client.once('close', resolve);
    client.on('response', (incoming) => {
      let text = '';
      incoming.on('error', () => {});
      incoming.on('data', (bytes: Buffer) => {
        text += bytes.toString();
        if (hasEnough(text)) client.destroy();
      });
    });
    client.end(JSON.stringify(requestOf(pair, nameOf(pair))));
  });
}

/** Clients of each kind that do the same at once. */
const TIMES = isFull() ? 10 : 4;

describe('a client that leaves', () => {
  test('during its request is not waited for', async () => {
    const server = await startModelServer(() => {});
    const gateway = await startGatewayProcess({ server: server.url });
    const paths = Object.values(PATHS).flatMap((path) => Array<string>(TIMES).fill(path));
    const sockets = paths.map((path) => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"model":"ch`);
      return socket;
    });
    await eventually(() => gateway.active()).toBe(paths.length);
    for (const socket of sockets) socket.destroy();
    await eventually(() => gateway.exchanges().length).toBe(paths.length);
    for (const exchange of gateway.exchanges()) expect(exchange).toMatchObject({ status: 499, error: null });
    expect(await gateway.active()).toBe(0);
    expect(server.exchanges).toEqual([]);
    await gateway.stop();
  });

  test('before the server has answered ends the request to the server', async () => {
    const server = await startModelServer(() => {});
    const gateway = await startGatewayProcess({ server: server.url });
    const clients = PAIRS.flatMap((pair) =>
      Array.from({ length: TIMES }, () => {
        const client = send(addressOf(pair, gateway.url), { method: 'POST', agent: false });
        client.on('error', () => {});
        client.end(JSON.stringify(requestOf(pair)));
        return client;
      }),
    );
    await eventually(() => server.exchanges.length).toBe(clients.length);
    for (const client of clients) client.destroy();
    await Promise.all(server.exchanges.map(({ over }) => over));
    await eventually(() => gateway.exchanges().length).toBe(clients.length);
    for (const exchange of gateway.exchanges()) expect(exchange).toMatchObject({ status: 499, first_byte_ms: null });
    await eventually(() => server.connections()).toBe(0);
    expect(await gateway.active()).toBe(0);
    await gateway.stop();
  });

  const IN_STREAM: Readonly<Record<string, (pair: Pair) => number>> = {
    'after the first words': (pair) => callAnswer(pair).marks[0]?.begun ?? 0,
    'in the middle of a call': (pair) => (callAnswer(pair).marks[1]?.finished ?? 0) - 3,
  };

  test.each(Object.keys(IN_STREAM))('%s ends the request to the server', async (phase) => {
    // A server that would say more to a client that still listens.
    const server = await startModelServer(({ body, response }) => {
      const pair = pairIn(body);
      const answer = callAnswer(pair);
      response.writeHead(200, { 'content-type': answer.type });
      response.write(answer.bytes.subarray(0, IN_STREAM[phase]?.(pair)));
    });
    const gateway = await startGatewayProcess({ server: server.url });
    const clients = PAIRS.filter(({ stream }) => stream).flatMap((pair) => Array<Pair>(TIMES).fill(pair));
    await Promise.all(clients.map((pair) => leaveAt(gateway.url, pair, (text) => text.includes('both'))));
    await Promise.all(server.exchanges.map(({ over }) => over));
    await eventually(() => gateway.exchanges().length).toBe(clients.length);
    for (const exchange of gateway.exchanges()) expect(exchange).toMatchObject({ status: 499, error: null });
    await eventually(() => server.connections()).toBe(0);
    expect(await gateway.active()).toBe(0);
    await gateway.stop();
  });

  test('during an unstreamed answer ends the request to the server', async () => {
    const server = await startModelServer(({ body, response }) => {
      const answer = callAnswer(pairIn(body));
      response.writeHead(200, { 'content-type': answer.type });
      response.write(answer.bytes.subarray(0, 200));
    });
    const gateway = await startGatewayProcess({ server: server.url });
    const clients = PAIRS.filter(({ stream }) => !stream).flatMap((pair) =>
      Array.from({ length: TIMES }, () => {
        const client = send(addressOf(pair, gateway.url), { method: 'POST', agent: false });
        client.on('error', () => {});
        client.end(JSON.stringify(requestOf(pair, nameOf(pair))));
        return client;
      }),
    );
    await eventually(() => server.exchanges.length).toBe(clients.length);
    for (const client of clients) client.destroy();
    await Promise.all(server.exchanges.map(({ over }) => over));
    await eventually(() => gateway.exchanges().length).toBe(clients.length);
    for (const exchange of gateway.exchanges()) expect(exchange).toMatchObject({ status: 499 });
    await eventually(() => server.connections()).toBe(0);
    expect(await gateway.active()).toBe(0);
    await gateway.stop();
  });

  test('with the last frame leaves nothing behind', async () => {
    const server = await startModelServer(({ body, response }) => {
      const answer = callAnswer(pairIn(body));
      response.writeHead(200, { 'content-type': answer.type, connection: 'close' });
      response.end(answer.bytes);
    });
    const gateway = await startGatewayProcess({ server: server.url });
    const clients = PAIRS.flatMap((pair) => Array<Pair>(TIMES).fill(pair));
    const isLast = (text: string) => /\[DONE\]|response\.completed|\}$/.test(text);
    await Promise.all(clients.map((pair) => leaveAt(gateway.url, pair, isLast)));
    await eventually(() => gateway.exchanges().length).toBe(clients.length);
    // The client may leave before or after the end.
    for (const { status, error } of gateway.exchanges())
      expect([[200, 499].includes(Number(status)), error]).toEqual([true, null]);
    await eventually(() => server.connections()).toBe(0);
    expect(await gateway.active()).toBe(0);
    await gateway.stop();
  });
});
