import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { Incoming, Outgoing } from './client-io.ts';
import { sendText } from './send-json.ts';
import { type ServeOptions, serveGateway } from './serve.ts';

type Serve = ServeOptions['gateway']['serve'];

async function echo(incoming: Incoming, outgoing: Outgoing): Promise<void> {
  const { method, path, query } = incoming;
  const body = await incoming.readBody(1000, new AbortController().signal);
  sendText(outgoing, 200, `${method} ${path}?${query} ${Buffer.from(body ?? []).toString()}`, {});
}

async function serve(answer: Serve = echo, more: Partial<ServeOptions> = {}) {
  const drains: number[] = [];
  const drain = async (ms: number) => {
    drains.push(ms);
  };
  const options = { host: '127.0.0.1', port: 0, open: () => true };
  const served = await serveGateway({ gateway: { serve: answer, drain }, ...options, ...more });
  onTestFinished(() => served.close(0));
  return { ...served, drains };
}

async function ask(
  url: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; body: string }> {
  const request = httpRequest(url, { method: body === '' ? 'GET' : 'POST', headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

test('requests reach the gateway at the reported address', async () => {
  const { url } = await serve();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await ask(`${url}/v1/models?x=1`)).toEqual({ status: 200, body: 'GET /v1/models?x=1 ' });
});

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((entry) => entry?.address === '::1');

test.skipIf(!hasIpv6)('an IPv6 address is written as in URLs', async () => {
  const { url } = await serve(echo, { host: '[::1]' });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await ask(url)).status).toBe(200);
});

test('a WebSocket is refused with 426', async () => {
  const { url } = await serve();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = ['GET /v1/responses HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', '', ''];
  socket.write(head.join('\r\n'));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 426 /);
});

test('a request that only offers HTTP/2 is served', async () => {
  const { url } = await serve();
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  expect(await ask(url, headers, '{"a":1}')).toEqual({ status: 200, body: 'POST /? {"a":1}' });
});

test('without a key, pages of other sites are kept out', async () => {
  const { url } = await serve();
  const { port } = new URL(url);
  for (const headers of [
    { host: 'evil.example' },
    { host: `127.0.0.1.evil.example:${port}` },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const { status, body } = await ask(url, headers as Record<string, string>);
    expect(status, JSON.stringify(headers)).toBe(403);
    expect(JSON.parse(body).error.code).toBe('forbidden_origin');
  }
  for (const headers of [{ host: `localhost:${port}` }, { host: '[::1]:1' }, { origin: 'http://localhost:3000' }]) {
    expect((await ask(url, headers as Record<string, string>)).status, JSON.stringify(headers)).toBe(200);
  }
});

test('with a key, the gateway may be called by any name', async () => {
  const { url } = await serve(echo, { open: () => false });
  expect((await ask(url, { host: 'gateway.example', origin: 'https://page.example' })).status).toBe(200);
});

test('a port in use is named', async () => {
  const { url } = await serve();
  const port = Number(new URL(url).port);
  const second = serve(echo, { port });
  await expect(second).rejects.toThrow(UserError);
  await expect(second).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use.`);
  await expect(serve(echo, { host: '203.0.113.7' })).rejects.toThrow('The gateway cannot listen on 203.0.113.7');
});

test('closing waits for open exchanges, then cuts off the rest', async () => {
  let release = () => {};
  const drained = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hanging: Serve = (_, outgoing) => {
    outgoing.head(200, {});
    void outgoing.write('half');
    outgoing.flush();
  };
  const served = await serveGateway({
    gateway: { serve: hanging, drain: () => drained },
    host: '127.0.0.1',
    port: 0,
    open: () => true,
  });
  const request = httpRequest(served.url);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let isClosed = false;
  const closing = served.close(5).then(() => {
    isClosed = true;
  });
  const refused = httpRequest(served.url).on('error', () => {});
  refused.end();
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
  expect(isClosed).toBe(false);
  release();
  await expect(text(response)).rejects.toThrow();
  await closing;
});
