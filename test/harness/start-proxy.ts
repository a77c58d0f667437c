import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { makeCertificate } from './start-secure.ts';

export interface TestProxy {
  /** Address without a user. */
  readonly url: string;
  /** Address with the user and the password that the proxy wants. */
  readonly signedUrl: string;
  /** Requests that the proxy let pass: CONNECT and the target, or the method and the address. */
  readonly passed: string[];
  /** Requests that came, including those that the proxy refused. */
  count(): number;
  /** Path of the certificate of a proxy that speaks TLS. */
  readonly certificate: string | undefined;
}

export interface ProxyOptions {
  /** User and password, joined by a colon. Without them the proxy wants none. */
  readonly user?: string;
  /** Challenge in a refusal. */
  readonly challenge?: string;
  /** Whether the proxy itself speaks TLS. */
  readonly secure?: boolean;
  /** Number of requests that fail before one passes. */
  readonly failing?: number;
  /** `hang`: never answers. A number: refuses with this status. `close`: closes each connection without an answer. */
  readonly fault?: 'hang' | 'close' | number;
  /** Number of bytes of an answer after which the proxy drops the connection, once. */
  readonly dropAfter?: number;
}

/**
 * Starts a proxy on loopback: tunnels, and requests with a whole address. Every host name leads to the same port of this
 * machine, so that names which do not exist stand for servers of a test.
 */
export async function startProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const { user, secure = false } = options;
  const passed: string[] = [];
  const sockets = new Set<Socket>();
  const gate = createGate(options);
  const made = secure ? makeCertificate('localhost') : undefined;
  const server = made === undefined ? createServer() : createSecureServer(made);
  const drop = createDrop(options.dropAfter);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  relay(server, { gate, drop, passed });
  tunnel(server, { gate, drop, passed });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = `localhost:${(server.address() as AddressInfo).port}`;
  const scheme = secure ? 'https' : 'http';
  const signed = user === undefined ? '' : `${user.split(':').map(encodeURIComponent).join(':')}@`;
  return {
    url: `${scheme}://${address}`,
    signedUrl: `${scheme}://${signed}${address}`,
    passed,
    count: gate.count,
    certificate: made?.path,
  };
}

/** Returns the part of a proxy that decides about requests. */
function createGate({ user, challenge = 'Basic realm="test"', failing = 0, fault }: ProxyOptions) {
  const wanted = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  let count = 0;
  return {
    count: () => count,
    refusal({ headers }: IncomingMessage): 'hang' | 'close' | number | undefined {
      count++;
      if (fault !== undefined) return fault;
      if (count <= failing) return 'close';
      return wanted === undefined || headers['proxy-authorization'] === wanted ? undefined : 407;
    },
    headers: (status: number): Record<string, string> => (status === 407 ? { 'proxy-authenticate': challenge } : {}),
  };
}

/** Returns a function that drops the first connection over which enough bytes came. */
function createDrop(after: number | undefined): (source: NodeJS.ReadableStream, client: Duplex) => void {
  let left = after;
  return (source, client) => {
    source.on('data', (bytes: Buffer) => {
      if (left === undefined) return;
      left -= bytes.length;
      if (left > 0) return;
      left = undefined;
      client.destroy();
    });
  };
}

interface ProxyParts {
  readonly gate: ReturnType<typeof createGate>;
  readonly drop: ReturnType<typeof createDrop>;
  readonly passed: string[];
}

/** Sends on requests with a whole address. */
function relay(server: Server, { gate, drop, passed }: ProxyParts): void {
  server.on('request', (incoming: IncomingMessage, response) => {
    const refusal = gate.refusal(incoming);
    if (refusal === 'hang') return;
    if (refusal === 'close') return void incoming.socket.destroy();
    if (refusal !== undefined) return void response.writeHead(refusal, gate.headers(refusal)).end('no');
    const url = new URL(incoming.url ?? '');
    passed.push(`${incoming.method} ${url.href}`);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const there = { host: '127.0.0.1', port: url.port, path: url.pathname + url.search };
    const outgoing = request({ ...there, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      drop(answer, incoming.socket);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
}

/** Opens tunnels. */
function tunnel(server: Server, { gate, drop, passed }: ProxyParts): void {
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => {});
    const refusal = gate.refusal(incoming);
    if (refusal === 'hang') return;
    if (refusal === 'close') return void client.destroy();
    if (refusal !== undefined) {
      const lines = Object.entries(gate.headers(refusal)).map(([name, value]) => `${name}: ${value}\r\n`);
      return void client.end(`HTTP/1.1 ${refusal} No\r\n${lines.join('')}content-length: 2\r\n\r\nno`);
    }
    passed.push(`CONNECT ${incoming.url}`);
    const far = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n');
      if (head.length > 0) far.write(head);
      drop(far, client);
      far.pipe(client);
      client.pipe(far);
    });
    far.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => far.destroy());
  });
}
