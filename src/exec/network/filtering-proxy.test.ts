import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFilteringProxy, type FilteringProxy, type ProxyLimits } from './filtering-proxy.ts';

/** Not the address of the proxy, so that a test sees which of the two answers. */
const SERVER_ADDRESS = '127.0.0.2';
const cleanups: (() => unknown)[] = [];
let origin: Server;
let seen: { url: string | undefined; headers: IncomingMessage['headers']; body: string }[];

beforeEach(async () => {
  seen = [];
  origin = createServer(async (incoming, answer) => {
    seen.push({ url: incoming.url, headers: incoming.headers, body: await text(incoming) });
    answer
      .writeHead(
        201,
        [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
        ].flat(),
      )
      .end(`hello ${incoming.headers.host}`);
  });
  await listening(origin, SERVER_ADDRESS);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listening(server: NetServer, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done));
  cleanups.push(() => {
    server.close();
    if ('closeAllConnections' in server) (server as Server).closeAllConnections();
  });
  return portOf(server);
}

const portOf = (server: NetServer) => (server.address() as AddressInfo).port;

interface Started {
  readonly proxy: FilteringProxy;
  readonly port: number;
  readonly asked: string[];
}

/** Starts a proxy. Names resolve to the second loopback address unless the test sets others. */
async function start(
  allowedDomains: string[],
  names: Record<string, readonly string[]> = {},
  limits: Partial<ProxyLimits> = {},
): Promise<Started> {
  const asked: string[] = [];
  const proxy = createFilteringProxy({
    allowedDomains,
    limits,
    async resolve(name) {
      asked.push(name);
      return names[name] ?? [SERVER_ADDRESS];
    },
  });
  cleanups.push(() => proxy.close());
  return { proxy, asked, port: await proxy.listen({ host: '127.0.0.1', port: 0 }) };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function get(port: number, url: string, options: { headers?: Record<string, string>; body?: string } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const { headers = {}, body } = options;
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = request({ host: '127.0.0.1', port, path: url, method, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) });
    });
    outgoing.end(body);
  });
}

/** Asks for a tunnel. Returns the whole answer when the proxy refuses. */
function tunnel(
  port: number,
  authority: string,
): Promise<{ status: number | undefined; socket: Socket; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: authority, method: 'CONNECT', agent: false });
    outgoing.on('error', reject);
    outgoing.on('connect', async (incoming, socket, head) => {
      const refused = incoming.statusCode !== 200;
      const body = refused ? head.toString() + (await text(socket)) : '';
      resolve({ status: incoming.statusCode, socket: socket as Socket, body });
    });
    outgoing.end();
  });
}

describe('a plain request', () => {
  test('to an allowed host is answered by it', async () => {
    const { proxy, port } = await start(['good.test', SERVER_ADDRESS]);
    const host = `good.test:${portOf(origin)}`;
    const { status, headers, body } = await get(port, `http://GOOD.test.:${portOf(origin)}/path?q=1`);
    expect({ status, body }).toEqual({ status: 201, body: `hello GOOD.test.:${portOf(origin)}`.toLowerCase() });
    expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(seen[0]).toMatchObject({ url: '/path?q=1', headers: { host: host.replace('test', 'test.') } });
    expect(proxy.denied()).toEqual([]);
  });

  test('carries its body, in one piece or in many, and no header for the proxy', async () => {
    const { port } = await start(['good.test', SERVER_ADDRESS]);
    const url = `http://good.test:${portOf(origin)}/`;
    const headers = { 'Proxy-Authorization': 'Basic eA==', 'X-Own': '1', Connection: 'close, X-Hop', 'X-Hop': '1' };
    await get(port, url, { body: 'whole', headers: { ...headers, 'Content-Length': '5' } });
    await get(port, url, { body: 'in pieces', headers: { ...headers, 'Transfer-Encoding': 'chunked' } });
    expect(seen.map(({ body }) => body)).toEqual(['whole', 'in pieces']);
    for (const { headers: got } of seen) {
      expect(got).toMatchObject({ 'x-own': '1' });
      expect(Object.keys(got)).not.toEqual(expect.arrayContaining(['proxy-authorization']));
      expect(got['x-hop']).toBeUndefined();
    }
  });

  test('reaches the host of its URL, not of its header', async () => {
    const { port } = await start(['good.test', SERVER_ADDRESS]);
    await get(port, `http://good.test:${portOf(origin)}/`, { headers: { Host: 'evil.test' } });
    expect(seen[0]?.headers.host).toBe(`good.test:${portOf(origin)}`);
  });

  test('to another host is refused with a text for the model, and its name is never looked up', async () => {
    const { proxy, port, asked } = await start(['good.test', '*.fine.test']);
    const { status, body } = await get(port, 'http://evil.test/');
    expect(status).toBe(403);
    expect(body).toContain('evil.test is not among the allowed domains (good.test, *.fine.test)');
    expect(body).toContain('add "evil.test" to allowed_domains');
    expect(asked).toEqual([]);
    await get(port, 'http://evil.test/again');
    await get(port, 'http://fine.test/');
    expect(proxy.denied()).toEqual(['evil.test', 'fine.test']);
  });

  test.each(['/', 'https://good.test/', 'ftp://good.test/', 'http://', 'http://a b/', '*'])(
    'for %s is not a request for a proxy',
    async (url) => {
      const { port, asked } = await start(['good.test']);
      const socket = connect(port, '127.0.0.1');
      socket.end(`GET ${url} HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
      expect(asked).toEqual([]);
    },
  );
});

describe('a tunnel', () => {
  test('to an allowed host carries bytes both ways, and each side may end its own', async () => {
    const echo = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let said = '';
      socket.on('data', (bytes) => (said += bytes));
      socket.on('end', () => socket.end(`you said: ${said}`));
    });
    const { port } = await start(['good.test', SERVER_ADDRESS]);
    const { status, socket } = await tunnel(port, `good.test:${await listening(echo, SERVER_ADDRESS)}`);
    expect(status).toBe(200);
    socket.end('this');
    expect(await text(socket)).toBe('you said: this');
  });

  test('to another host is refused with the same text', async () => {
    const { proxy, port } = await start(['good.test']);
    const { status, body } = await tunnel(port, 'evil.test:443');
    expect(status).toBe(403);
    expect(body).toContain('evil.test is not among the allowed domains (good.test)');
    expect(proxy.denied()).toEqual(['evil.test']);
  });

  test.each(['', 'good.test', 'good.test:0', 'good.test:99999', 'good.test:443/x', ':443', 'a b:443', '[::1:443'])(
    'to "%s" leads nowhere',
    async (authority) => {
      const { port, asked } = await start(['good.test']);
      const socket = connect(port, '127.0.0.1');
      socket.end(`CONNECT ${authority} HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
      expect(asked).toEqual([]);
    },
  );
});

describe('an attack', () => {
  test.each([
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    'localhost',
    'good.test.evil.test',
  ])('through the host %s is refused', async (host) => {
    const local = createServer((_, answer) => answer.end('secret'));
    const localPort = await listening(local);
    const { port } = await start(['good.test'], { localhost: ['127.0.0.1'] });
    expect((await get(port, `http://${host}:${localPort}/`)).status).toBe(403);
    expect((await tunnel(port, `${host}:${localPort}`)).status).toBe(403);
  });

  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1', '64:ff9b::7f00:1'])(
    'by an allowed name that leads to %s is refused',
    async (address) => {
      const { proxy, port } = await start(['good.test'], { 'good.test': ['93.184.216.34', address] });
      const { status, body } = await get(port, `http://good.test:${portOf(origin)}/`);
      expect(status).toBe(403);
      expect(body).toContain(`good.test leads to ${address}, an address of this machine or its surroundings`);
      expect(proxy.denied()).toEqual([address]);
      expect(seen).toEqual([]);
    },
  );

  test('by a name whose address changes after the check reaches the checked address', async () => {
    const local = createServer((_, answer) => answer.end('secret'));
    await listening(local, '127.0.0.3');
    let turn = 0;
    const proxy = createFilteringProxy({
      allowedDomains: ['good.test', SERVER_ADDRESS],
      resolve: async () => [turn++ === 0 ? SERVER_ADDRESS : '127.0.0.3'],
    });
    cleanups.push(() => proxy.close());
    const port = await proxy.listen({ host: '127.0.0.1', port: 0 });
    expect((await get(port, `http://good.test:${portOf(origin)}/`)).body).toMatch(/^hello/);
    expect(turn).toBe(1);
    expect((await get(port, `http://good.test:${portOf(local)}/`)).status).toBe(403);
  });

  test('by a header that would steer the proxy, or a second request in the first, is not passed on', async () => {
    const { port } = await start(['good.test', SERVER_ADDRESS]);
    const socket = connect(port, '127.0.0.1');
    const url = `http://good.test:${portOf(origin)}`;
    const smuggled = 'GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n';
    socket.write(`GET ${url}/1 HTTP/1.1\r\nHost: x\r\n\r\n${smuggled}`);
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 403']);
    expect(seen.map((one) => one.url)).toEqual(['/1']);
  });
});

test('localhost is reached only if it is listed', async () => {
  const { port } = await start(['localhost'], { localhost: [SERVER_ADDRESS] });
  expect((await get(port, `http://localhost:${portOf(origin)}/`)).status).toBe(201);
});

test('a server that is missing or does not speak HTTP is not reported as a refusal', async () => {
  const mute = createTcpServer((socket) => socket.end('HTTP/1.1 7 no\r\n\r\n'));
  const mutePort = await listening(mute, SERVER_ADDRESS);
  const { proxy, port } = await start(['good.test', 'gone.test', SERVER_ADDRESS], { 'gone.test': [] });
  const closed = createTcpServer();
  const closedPort = await listening(closed, SERVER_ADDRESS);
  closed.close();
  const rows = [`good.test:${mutePort}`, `good.test:${closedPort}`, 'gone.test'];
  const answers = await Promise.all(rows.map((host) => get(port, `http://${host}/`)));
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 502]);
  expect(answers[2]?.body).toBe('gone.test was not found: it has no address.\n');
  expect((await tunnel(port, `good.test:${closedPort}`)).status).toBe(502);
  expect(proxy.denied()).toEqual([]);
});

test('200 clients at once are all served', async () => {
  const { port, asked } = await start(['good.test', SERVER_ADDRESS]);
  const url = `http://good.test:${portOf(origin)}/`;
  const answers = await Promise.all(Array.from({ length: 200 }, () => get(port, url)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(200);
  expect(asked.length).toBeGreaterThan(0);
});

describe('a connection of a client', () => {
  /** Starts a server that never answers. Returns it with its connections. */
  async function silent() {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.resume().on('error', () => undefined);
    });
    return { sockets, port: await listening(server, SERVER_ADDRESS) };
  }

  test('is ended on the other side when the client goes, in a tunnel and in a request', async () => {
    const far = await silent();
    const { port } = await start(['good.test', SERVER_ADDRESS]);
    const { socket } = await tunnel(port, `good.test:${far.port}`);
    await vi.waitFor(() => expect(far.sockets).toHaveLength(1), 20_000);
    socket.destroy();
    await vi.waitFor(() => expect(far.sockets[0]?.destroyed).toBe(true), 20_000);
    const client = connect(port, '127.0.0.1');
    client.write(`GET http://good.test:${far.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await vi.waitFor(() => expect(far.sockets).toHaveLength(2), 20_000);
    client.destroy();
    await vi.waitFor(() => expect(far.sockets[1]?.destroyed).toBe(true), 20_000);
  });

  test('is ended when the proxy closes, without waiting', async () => {
    const far = await silent();
    const { proxy, port } = await start(['good.test', SERVER_ADDRESS]);
    const { socket } = await tunnel(port, `good.test:${far.port}`);
    const gone = new Promise((done) => socket.once('close', done));
    socket.on('error', () => undefined);
    await proxy.close();
    await gone;
    await vi.waitFor(() => expect(far.sockets[0]?.destroyed).toBe(true), 20_000);
    await expect(get(port, 'http://good.test/')).rejects.toThrow('ECONNREFUSED');
  });

  test('is ended after too long without traffic', async () => {
    const far = await silent();
    const { port } = await start(['good.test', SERVER_ADDRESS], {}, { idleMs: 50 });
    const { socket } = await tunnel(port, `good.test:${far.port}`);
    expect(await text(socket)).toBe('');
    const { status } = await get(port, `http://good.test:${far.port}/`).catch(() => ({ status: undefined }));
    expect([502, undefined]).toContain(status);
    await vi.waitFor(() => expect(far.sockets.every((one) => one.destroyed)).toBe(true), 20_000);
  });

  test('is refused beyond the limit of connections', async () => {
    const far = await silent();
    const { port } = await start(['good.test', SERVER_ADDRESS], {}, { connections: 2 });
    const first = await tunnel(port, `good.test:${far.port}`);
    const second = await tunnel(port, `good.test:${far.port}`);
    await expect(tunnel(port, `good.test:${far.port}`)).rejects.toThrow();
    expect(far.sockets).toHaveLength(2);
    first.socket.destroy();
    second.socket.destroy();
  });
});
