import { abortedError, bodyPieces, type Http, type HttpResponse, type SendOptions } from '../http.ts';
import { type Connect, connectTo } from './connect.ts';
import { Connection, type ConnectionOwner, type WrittenRequest } from './connection.ts';
import { requestHead } from './request-head.ts';

const CONNECT_TIMEOUT_MS = 20_000;
const MAX_DRAIN_WAIT_MS = 25;
const MAX_FREE = 256;

/**
 * A client for HTTP/1.1. Written for what a gateway does all day: short requests over kept connections, answers that come in
 * many small pieces.
 */
export function createHttp({ connectTimeoutMs = CONNECT_TIMEOUT_MS } = {}): Http {
  const servers = new Map<string, Server | Promise<Server>>();
  /** Callers ask for the same few addresses, and the origin of one takes long to be told. */
  const known = new WeakMap<URL, Server>();
  const find = (url: URL): Server | Promise<Server> => {
    const known = servers.get(url.origin);
    if (known !== undefined) return known;
    const found = connectTo(url).then((connect) => {
      const server = createServer(connect, connectTimeoutMs);
      servers.set(url.origin, server);
      return server;
    });
    servers.set(url.origin, found);
    return found;
  };
  const sendLater = async (url: URL, options: SendOptions): Promise<HttpResponse> => {
    if (options.signal.aborted) throw abortedError();
    const server = await find(url);
    known.set(url, server);
    if (server.drainingCount() > 0 && server.freeCount() === 0) await server.drained();
    return sendOver(server, url, options);
  };
  return {
    send(url, options) {
      const server = known.get(url);
      const isFree = server !== undefined && (server.drainingCount() === 0 || server.freeCount() > 0);
      return isFree ? sendOver(server, url, options) : sendLater(url, options);
    },
  };
}

function sendOver(server: Server, url: URL, options: SendOptions): Promise<HttpResponse> {
  if (options.signal.aborted) return Promise.reject(abortedError());
  const again = () => sendOver(server, url, options);
  return server.take().exchange(written(url, options), options, again);
}

function written(url: URL, { method, headers, body }: SendOptions): WrittenRequest {
  const head = requestHead(method ?? 'POST', url, headers);
  if (method === 'GET') return { head: `${head}\r\n`, pieces: [], size: 0 };
  const pieces = bodyPieces(body);
  let size = 0;
  for (const { byteLength } of pieces) size += byteLength;
  return { head: `${head}content-length: ${size}\r\n\r\n`, pieces, size };
}

/** The connections to one server. */
interface Server {
  /** One that is free, the last used first, or a new one. */
  take(): Connection;
  freeCount(): number;
  drainingCount(): number;
  /** Resolves when one is free again, and soon in any case: the next request often follows at once. */
  drained(): Promise<void>;
}

function createServer(connect: Connect, connectTimeoutMs: number): Server {
  const free: Connection[] = [];
  const draining = new Set<Connection>();
  const waiting = new Set<() => void>();
  const settled = (connection: Connection) => {
    if (draining.delete(connection)) for (const done of waiting) done();
  };
  const owner: ConnectionOwner = {
    connectTimeoutMs,
    free(connection) {
      if (free.length < MAX_FREE) free.push(connection);
      else connection.close();
      settled(connection);
    },
    draining: (connection) => void draining.add(connection),
    gone(connection) {
      const at = free.indexOf(connection);
      if (at >= 0) free.splice(at, 1);
      settled(connection);
    },
  };
  return {
    take() {
      for (;;) {
        const connection = free.pop();
        if (connection === undefined) return new Connection(connect(), owner);
        if (connection.isUsable()) return connection;
        connection.close();
      }
    },
    freeCount: () => free.length,
    drainingCount: () => draining.size,
    drained: () =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, MAX_DRAIN_WAIT_MS);
        waiting.add(done);
      }),
  };
}
