import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createHttp } from './http/create-http.ts';
import { createHttpFetch } from './http-fetch.ts';
import { offlineHttp } from './offline-http.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function start(handler: Handler): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open() {
  const http = createHttp();
  onTestFinished(() => http.close());
  return createHttpFetch(http, 'oxbow/test');
}

const echo: Handler = async (request, response) => {
  const { method, url, headers } = request;
  response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
};

test.each([
  ['GET', {}],
  ['DELETE', { method: 'DELETE' }],
  ['POST', { method: 'POST', body: 'a=1', headers: { 'Content-Type': 'text/x', 'X-Own': 'yes' } }],
])('a request is sent as fetch would send it: %s', async (method, init) => {
  const url = await start(echo);
  const response = await open()(`${url}/path?q=1`, init);
  expect(response).toMatchObject({ status: 200, url: `${url}/path?q=1` });
  const seen = (await response.json()) as { headers: object };
  expect(seen).toMatchObject({ method, url: '/path?q=1', body: method === 'POST' ? 'a=1' : '' });
  expect(seen.headers).toMatchObject({ accept: '*/*', 'user-agent': 'oxbow/test' });
  if (method === 'POST') expect(seen.headers).toMatchObject({ 'content-type': 'text/x', 'x-own': 'yes' });
});

test('a body is read as it comes, and a compressed one is decoded', async () => {
  const url = await start((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' });
    response.write(gzipSync('data: one\n\n'));
  });
  const response = await open()(url);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: one\n\n');
  await reader?.cancel();
});

test('a redirect is followed, with its body where the status says so, and without credentials to another host', async () => {
  const other = await start(echo);
  const url = await start((request, response) => {
    if (request.url === '/here') return echo(request, response);
    const [, status = '302', to = ''] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? [];
    return void response.writeHead(Number(status), { location: to === 'other' ? `${other}/x` : '/here' }).end();
  });
  const init = { method: 'POST', body: 'hello', headers: { authorization: 'Bearer secret' } };
  const follow = async (path: string) => (await open()(`${url}${path}`, init)).json();
  expect(await follow('/307/same')).toMatchObject({
    method: 'POST',
    body: 'hello',
    headers: { authorization: 'Bearer secret' },
  });
  expect(await follow('/303/same')).toMatchObject({ method: 'GET', body: '' });
  const away = (await follow('/308/other')) as { headers: object };
  expect(away).toMatchObject({ method: 'POST', body: 'hello', url: '/x' });
  expect(away.headers).not.toHaveProperty('authorization');
  expect((await open()(`${url}/307/same`, { ...init, redirect: 'manual' })).status).toBe(307);
  await expect(open()(`${url}/307/same`, { ...init, redirect: 'error' })).rejects.toThrow(TypeError);
});

test('redirects without an end are an error', async () => {
  const url = await start((_, response) => void response.writeHead(302, { location: '/again' }).end());
  await expect(open()(url)).rejects.toThrow('too many redirects');
});

test('a signal ends a request, and its stream', async () => {
  const url = await start((request, response) => {
    if (request.url === '/stream') response.writeHead(200).write('one');
  });
  const silent = open()(url, { signal: AbortSignal.timeout(50) });
  await expect(silent).rejects.toMatchObject({ name: 'TimeoutError' });
  const ending = new AbortController();
  const response = await open()(`${url}/stream`, { signal: ending.signal });
  const rest = response.text();
  ending.abort();
  await expect(rest).rejects.toMatchObject({ name: 'AbortError' });
});

test('an error has the code of the connection as its cause', async () => {
  await expect(open()('http://127.0.0.1:9')).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED' },
  });
});

test('an offline client contacts this machine only, and says so', async () => {
  const http = createHttp();
  onTestFinished(() => http.close());
  const fetch = createHttpFetch(offlineHttp(http), 'oxbow/test');
  for (const url of ['https://models.test/v1', 'http://0.0.0.0:1', 'http://a.localhost:1', 'http://10.0.0.1']) {
    await expect(fetch(url)).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(/^Oxbow is offline, so /),
    });
  }
  const url = await start(echo);
  expect((await fetch(url.replace('127.0.0.1', 'localhost'))).status).toBe(200);
  // A redirect to another machine is not followed either.
  const away = await start((_, response) => void response.writeHead(302, { location: 'https://models.test/' }).end());
  await expect(fetch(away)).rejects.toThrow('Oxbow is offline, so https://models.test was not contacted');
});
