import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { ListenOptions, Server as NetServer, Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { messageOf } from '../../base/errors.ts';
import { checkTarget, type NetworkTarget } from './check-target.ts';
import { connectChecked } from './connect-checked.ts';
import { createDomainList, type DomainList } from './domain-list.ts';
import { forwardRequest } from './forward-request.ts';
import { readAbsoluteUrl, readAuthority } from './read-target.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { limitResolve, type Resolve, systemResolve } from './resolve-names.ts';

/** An HTTP proxy that leads to the allowed hosts only. */
export interface FilteringProxy {
  /** Serves a listening socket, or opens one. Resolves to the port. */
  listen(at: NetServer | ListenOptions): Promise<number>;
  /** Returns the hosts that were refused, each once. */
  denied(): readonly string[];
  /** Entries of the list that cannot be parsed. */
  readonly invalid: readonly string[];
  /** Ends every connection. */
  close(): Promise<void>;
}

export interface ProxyOptions {
  readonly allowedDomains: readonly string[];
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  readonly limits?: Partial<ProxyLimits>;
}

export interface ProxyLimits {
  readonly connections: number;
  readonly headersMs: number;
  readonly connectMs: number;
  /** Longest time without traffic before a connection is ended. */
  readonly idleMs: number;
  readonly resolveMs: number;
}

const LIMITS: ProxyLimits = {
  connections: 512,
  headersMs: 30_000,
  connectMs: 30_000,
  idleMs: 600_000,
  resolveMs: 15_000,
};
const LOOKUPS_AT_ONCE = 2;

export function createFilteringProxy(options: ProxyOptions): FilteringProxy {
  const limits = { ...LIMITS, ...options.limits };
  const domains = createDomainList(options.allowedDomains);
  const refusals = createRefusals(options.allowedDomains);
  const resolve = limitResolve(options.resolve ?? systemResolve, {
    timeoutMs: limits.resolveMs,
    atOnce: LOOKUPS_AT_ONCE,
  });
  const gate: Gate = { limits, domains, refusals, resolve };
  const open = new Set<Socket>();
  // Without `requestTimeout`: an upload may take any time.
  const server = createServer({ headersTimeout: limits.headersMs, requestTimeout: 0 });
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('connect', (request, socket, head) => void tunnel(gate, request, socket, head));
  server.on('request', (request, answer) => void forward(gate, request, answer));
  return {
    invalid: domains.invalid,
    listen: (at) => listen(server, at),
    denied: refusals.hosts,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

interface Gate {
  readonly limits: ProxyLimits;
  readonly domains: DomainList;
  readonly refusals: Refusals;
  readonly resolve: Resolve;
}

function listen(server: Server, at: NetServer | ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      // A listening proxy must not keep our process alive.
      server.unref();
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** Handles `CONNECT host:port`: passes bytes both ways without reading them. */
async function tunnel(gate: Gate, { url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
  client.on('error', () => client.destroy());
  const connection = await openConnection(gate, readAuthority(url), leaving(client));
  if (connection.type === 'closed') {
    client.end(rawAnswer(connection.status, connection.text));
    return;
  }
  const { socket: remote } = connection;
  // An error on one side ends the other. A side that ends only its half leaves the other half open.
  const broken = (error: unknown) => {
    if (!error) return;
    client.destroy();
    remote.destroy();
  };
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  remote.write(head);
  pipeline(remote, client, broken);
  pipeline(client, remote, broken);
}

/** Handles `GET http://host/path`. */
async function forward(gate: Gate, request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const read = readAbsoluteUrl(request.url ?? '');
  const connection = await openConnection(gate, read?.target, leaving(answer));
  if (read === undefined || connection.type === 'closed') {
    const { status, text } = connection.type === 'closed' ? connection : NOT_FOR_US;
    // The rest of the request is not read, so the connection cannot be reused.
    answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(text);
    return;
  }
  forwardRequest(request, answer, read.url, connection.socket);
}

/** Returns a signal that aborts when the client has gone. */
function leaving(client: Duplex | ServerResponse): AbortSignal {
  const controller = new AbortController();
  client.once('close', () => controller.abort());
  return controller.signal;
}

type ProxyConnection =
  | { readonly type: 'open'; readonly socket: Socket }
  | { readonly type: 'closed'; readonly status: number; readonly text: string };

const NOT_FOR_US = {
  type: 'closed',
  status: 400,
  text: 'This is a proxy: it takes http:// URLs, and CONNECT with a host and a port.\n',
} as const;

async function openConnection(
  gate: Gate,
  target: NetworkTarget | undefined,
  signal: AbortSignal,
): Promise<ProxyConnection> {
  if (target === undefined) return NOT_FOR_US;
  const { idleMs, connectMs: timeoutMs } = gate.limits;
  const verdict = await checkTarget(target, gate.domains, gate.resolve);
  if (verdict.type === 'refused') {
    return { type: 'closed', status: 403, text: gate.refusals.add(target, verdict.address) };
  }
  const name = target.host.text;
  if (verdict.type === 'lost') return { type: 'closed', status: 502, text: `${name} was not found: ${verdict.why}.\n` };
  try {
    const socket = await connectChecked(verdict.addresses, target.port, { timeoutMs, signal });
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    return { type: 'open', socket };
  } catch (error) {
    const text = `${name} could not be reached on port ${target.port}: ${messageOf(error)}.\n`;
    return { type: 'closed', status: 502, text };
  }
}

function rawAnswer(status: number, text: string): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
