import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Incoming, Outgoing } from './client-io.ts';
import { nodeIo } from './node-io.ts';
import { sendText } from './send-json.ts';

async function serve(answer: (incoming: Incoming, outgoing: Outgoing) => void | Promise<void>): Promise<string> {
  const server = createServer((request, response) => {
    const { incoming, outgoing } = nodeIo(request, response);
    void answer(incoming, outgoing);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a body in pieces. */
async function ask(url: string, pieces: readonly string[], headers = {}): Promise<IncomingMessage> {
  const request = send(url, { method: 'POST', headers });
  for (const piece of pieces) request.write(piece);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const { signal } = new AbortController();

test('a request and its answer', async () => {
  const url = await serve(async (incoming, outgoing) => {
    const { method, path, query } = incoming;
    const body = Buffer.from((await incoming.readBody(100, signal)) ?? []).toString();
    sendText(outgoing, 200, [method, path, query, incoming.header('x-a'), body].join(' '), { 'x-b': 'c' });
  });
  for (const headers of [{ 'x-a': 'b' }, { 'x-a': 'b', 'content-length': '6' }]) {
    const response = await ask(`${url}/v1/models?c=d`, ['one', 'two'], headers);
    expect(response.headers['x-b']).toBe('c');
    expect(await text(response)).toBe('POST /v1/models c=d b onetwo');
  }
});

test('a body that is too long is not read', async () => {
  const url = await serve(async (incoming, outgoing) => {
    const body = await incoming.readBody(5, signal);
    sendText(outgoing, body === undefined ? 413 : 200, 'x', {});
  });
  for (const headers of [{}, { 'content-length': '6' }]) {
    const response = await ask(url, ['one', 'two'], headers);
    expect(response.statusCode).toBe(413);
    expect(response.headers.connection).toBe('close');
    await text(response);
  }
});

test('a stream with fields after it', async () => {
  const url = await serve((_, outgoing) => {
    outgoing.head(200, { trailer: 'x-end' });
    void outgoing.write('a');
    outgoing.flush();
    void outgoing.write(Buffer.from('b'));
    outgoing.end({ 'x-end': 'yes' });
  });
  const response = await ask(url, []);
  expect(await text(response)).toBe('ab');
  expect(response.trailers).toEqual({ 'x-end': 'yes' });
});

test('a client that leaves is noticed', async () => {
  const left: boolean[] = [];
  const url = await serve((incoming, outgoing) => {
    incoming.onLeft(() => left.push(incoming.left));
    outgoing.head(200, {});
    void outgoing.write('begun');
  });
  const response = await ask(url, []);
  response.destroy();
  await expect.poll(() => left).toEqual([true]);
});

test('a client that reads slowly is waited for', async () => {
  let waits = 0;
  const url = await serve(async (_, outgoing) => {
    outgoing.head(200, {});
    for (let n = 0; n < 10; n++) {
      const full = outgoing.write('x'.repeat(1_000_000));
      if (full !== undefined) waits++;
      await full;
    }
    outgoing.end();
  });
  expect(await text(await ask(url, []))).toHaveLength(10_000_000);
  expect(waits).toBeGreaterThan(0);
});
