import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSilentServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Http, HttpResponse, SendOptions } from '../http.ts';
import { startDeafServer } from '../test-loopback.ts';
import { createHttp, type HttpOptions } from './create-http.ts';

const OPTIONS: SendOptions = {
  headers: {},
  body: new Uint8Array(),
  idleTimeoutMs: 60_000,
  signal: new AbortController().signal,
};

interface CountingServer {
  readonly url: URL;
  /** Connections so far. */
  readonly opened: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
}

/** Starts a server that keeps connections for as long as the client does. */
async function startCounting(answer: (response: ServerResponse) => void): Promise<CountingServer> {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume().on('end', () => answer(response));
  });
  let opened = 0;
  let open = 0;
  server.on('connection', (socket) => {
    opened++;
    open++;
    socket.on('close', () => open--);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { url, opened: () => opened, open: () => open };
}

function createClient(options: HttpOptions = {}): Http {
  const http = createHttp(options);
  onTestFinished(() => http.close());
  return http;
}

async function bodyOf(response: HttpResponse): Promise<string> {
  let text = '';
  for (;;) {
    const bytes = await response.read(60_000);
    if (bytes === null) return text;
    text += Buffer.from(bytes).toString('latin1');
  }
}

const ask = async (http: Http, url: URL, options = OPTIONS) => bodyOf(await http.send(url, options));

/** Returns the sockets of this process that are open or being opened and keep the process alive. */
function sockets(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCPSocketWrap|TCPConnectWrap|TLSWrap)$/.test(kind));
}

const CLOSED = { code: 'aborted', message: 'The connections to the servers were closed.' };

/** Starts a server that ends the connection together with each answer, without saying so. */
async function startEnding(): Promise<{ readonly url: URL; readonly requests: () => number }> {
  let requests = 0;
  const server = createSilentServer((socket) => {
    socket.on('data', () => {
      requests++;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na');
    });
    socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), requests: () => requests };
}

describe('a free connection', () => {
  test('is not used when the server ended it together with the answer', async () => {
    const server = await startEnding();
    const http = createClient();
    for (let turn = 1; turn <= 30; turn++) {
      expect(await ask(http, server.url)).toBe('a');
      expect(server.requests()).toBe(turn);
    }
  });

  test('is used by a request that follows at once', async () => {
    const server = await startCounting((response) => response.end('a'));
    const http = createClient();
    for (let turn = 1; turn <= 30; turn++) expect(await ask(http, server.url)).toBe('a');
    expect(server.opened()).toBe(1);
  });

  test('ends after its time, and the next request opens another', async () => {
    const server = await startCounting((response) => response.end('a'));
    const http = createClient({ maxIdleMs: 20 });
    expect(await ask(http, server.url)).toBe('a');
    await expect.poll(server.open).toBe(0);
    expect(await ask(http, server.url)).toBe('a');
    expect(server.opened()).toBe(2);
    await expect.poll(server.open).toBe(0);
  });

  test('ends also when others became free later, and with the connections to other servers', async () => {
    const [one, other] = [
      await startCounting((response) => response.end('a')),
      await startCounting((response) => response.end('b')),
    ];
    const http = createClient({ maxIdleMs: 20 });
    await Promise.all([ask(http, one.url), ask(http, one.url), ask(http, other.url)]);
    expect(one.opened()).toBe(2);
    await ask(http, one.url);
    await expect.poll(() => one.open() + other.open()).toBe(0);
  });

  test('is not confused with one that is in use', async () => {
    const held: ServerResponse[] = [];
    const server = await startCounting((response) => {
      held.push(response);
      response.write('begun ');
    });
    const idle = await startCounting((response) => response.end('a'));
    const http = createClient({ maxIdleMs: 20 });
    const answer = await http.send(server.url, OPTIONS);
    await ask(http, idle.url);
    await expect.poll(idle.open).toBe(0);
    held[0]?.end('ended');
    expect(await bodyOf(answer)).toBe('begun ended');
  });

  test('survives a request that cannot be sent', async () => {
    const server = await startCounting((response) => response.end('a'));
    const http = createClient();
    await ask(http, server.url);
    await expect((async () => ask(http, server.url, { ...OPTIONS, headers: { a: 'b\nc' } }))()).rejects.toThrow(
      'a character that HTTP does not allow',
    );
    expect(await ask(http, server.url)).toBe('a');
    expect(server.opened()).toBe(1);
  });
});

describe('close()', () => {
  test('ends free connections, may be called twice, and refuses later requests', async () => {
    const server = await startCounting((response) => response.end('a'));
    const http = createClient();
    await Promise.all([ask(http, server.url), ask(http, server.url)]);
    expect(server.open()).toBe(2);
    await Promise.all([http.close(), http.close()]);
    await http.close();
    await expect.poll(server.open).toBe(0);
    await expect(http.send(server.url, OPTIONS)).rejects.toMatchObject(CLOSED);
    await expect(http.send(new URL('http://127.0.0.1:1/'), OPTIONS)).rejects.toMatchObject(CLOSED);
    expect(server.opened()).toBe(2);
  });

  test('fails requests that wait for an answer, also over a connection that was used before', async () => {
    let requests = 0;
    const server = await startCounting((response) => {
      if (++requests === 1) response.end('a');
    });
    const http = createClient();
    expect(await ask(http, server.url)).toBe('a');
    const waiting = [http.send(server.url, OPTIONS), http.send(server.url, OPTIONS)];
    await expect.poll(server.open).toBe(2);
    const failed = Promise.all(waiting.map((response) => expect(response).rejects.toMatchObject(CLOSED)));
    await http.close();
    await failed;
    await expect.poll(server.open).toBe(0);
  });

  test('breaks answers that have begun', async () => {
    const server = await startCounting((response) => response.write('begun'));
    const http = createClient();
    const answer = await http.send(server.url, OPTIONS);
    expect(Buffer.from((await answer.read(60_000)) ?? []).toString()).toBe('begun');
    const rest = expect(answer.read(60_000)).rejects.toMatchObject(CLOSED);
    await http.close();
    await rest;
    await expect.poll(server.open).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')('while a connection is being opened leaves no socket', async () => {
    const url = await startDeafServer();
    const before = sockets();
    const http = createClient();
    const failed = expect(http.send(url, OPTIONS)).rejects.toMatchObject(CLOSED);
    await expect.poll(sockets).not.toEqual(before);
    await http.close();
    expect(sockets()).toEqual(before);
    await failed;
  });
});

test.skipIf(process.platform !== 'linux')('an abort while a connection is being opened leaves no socket', async () => {
  const url = await startDeafServer();
  const before = sockets();
  const abort = new AbortController();
  const failed = expect(createClient().send(url, { ...OPTIONS, signal: abort.signal })).rejects.toMatchObject({
    code: 'aborted',
    message: 'The request was interrupted.',
  });
  await expect.poll(sockets).not.toEqual(before);
  abort.abort();
  await failed;
  expect(sockets()).toEqual(before);
});

test.skipIf(process.platform !== 'linux')('a wait for a connection counts as silence', async () => {
  const waiting = createClient().send(await startDeafServer(), { ...OPTIONS, idleTimeoutMs: 100 });
  await expect(waiting).rejects.toMatchObject({ code: 'idle_timeout' });
});

test('a server that accepts and never begins TLS is given up after the time for a connection', async () => {
  const server = createSilentServer((socket) => socket.on('error', () => {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
  });
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await expect(createClient({ connectTimeoutMs: 100 }).send(url, OPTIONS)).rejects.toMatchObject({
    // The time for a connection and the one for its handshake end together.
    code: expect.stringMatching(/^(ERR_TLS_HANDSHAKE_TIMEOUT|ETIMEDOUT)$/),
  });
});

test.each([0, 64 * 1024 * 1024])(
  'a server that reads nothing of %i bytes and says nothing is given up after one timeout',
  async (size) => {
    const server = createSilentServer({ pauseOnConnect: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.close();
    });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const startedAt = performance.now();
    const idleTimeoutMs = 3000;
    const sent = createClient().send(url, { ...OPTIONS, body: Buffer.alloc(size), idleTimeoutMs });
    await expect(sent).rejects.toMatchObject({ code: 'idle_timeout' });
    expect(performance.now() - startedAt).toBeLessThan(2 * idleTimeoutMs);
  },
  20_000,
);

test('a long request that is still being sent does not count as silence', async () => {
  const server = createSilentServer((socket) => {
    let size = 0;
    socket.on('error', () => {});
    // Reads in several steps, each within the timeout, that take longer together.
    socket.on('data', ({ length }) => {
      size += length;
      if (size >= BIG.length) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na');
      socket.pause();
      setTimeout(() => socket.resume(), 3);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const startedAt = performance.now();
  expect(await ask(createClient(), url, { ...OPTIONS, body: BIG, idleTimeoutMs: 1000 })).toBe('a');
  expect(performance.now() - startedAt).toBeGreaterThan(1000);
}, 30_000);

const BIG = Buffer.alloc(64 * 1024 * 1024);

describe('a limit of connections', () => {
  const many = (http: Http, url: URL, count: number) =>
    Promise.all(Array.from({ length: count }, () => ask(http, url)));

  test('makes further requests wait, and each is answered', async () => {
    let most = 0;
    const server = await startCounting((response) => {
      most = Math.max(most, server.open());
      setTimeout(() => response.end('a'), 2);
    });
    const http = createClient({ mayOpen: (count) => count < 3 });
    expect(await many(http, server.url, 30)).toEqual(Array.from({ length: 30 }, () => 'a'));
    expect(most).toBe(3);
    expect(server.opened()).toBe(3);
  });

  test('lets a request wait no longer when a connection breaks', async () => {
    let requests = 0;
    const server = await startCounting((response) => {
      if (++requests <= 3) response.destroy();
      else response.end('a');
    });
    const http = createClient({ mayOpen: (count) => count < 1 });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => ask(http, server.url)));
    expect(results.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 3 }, () => 'rejected'),
      ...Array.from({ length: 7 }, () => 'fulfilled'),
    ]);
  });

  test('does not keep a request from an abort or from the end of the client', async () => {
    const server = await startCounting(() => {});
    const http = createClient({ mayOpen: (count) => count < 1 });
    const first = ask(http, server.url).catch((error: unknown) => error);
    await expect.poll(server.open).toBe(1);
    const abort = new AbortController();
    const second = ask(http, server.url, { ...OPTIONS, signal: abort.signal }).catch((error: unknown) => error);
    const third = ask(http, server.url).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 10));
    abort.abort();
    expect(await second).toMatchObject({ code: 'aborted' });
    await http.close();
    expect(await third).toMatchObject(CLOSED);
    expect(await first).toMatchObject(CLOSED);
    expect(server.opened()).toBe(1);
  });
});

test('an abort in the middle of a TLS handshake leaves no socket', async () => {
  let closed = 0;
  const server = createSilentServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => closed++);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
  });
  const abort = new AbortController();
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const failed = expect(createClient().send(url, { ...OPTIONS, signal: abort.signal })).rejects.toMatchObject({
    code: 'aborted',
  });
  const [socket] = await once(server, 'connection');
  await once(socket, 'data');
  abort.abort();
  await failed;
  await expect.poll(() => closed).toBe(1);
});
