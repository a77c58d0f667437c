import { abortedError, bodyPieces, closedError, type Http, type HttpResponse, type SendOptions } from '../http.ts';
import { clampTimer } from '../idle-timer.ts';
import { connectTo, type ExtraCertificates } from './connect.ts';
import type { WrittenRequest } from './connection.ts';
import { requestHead } from './request-head.ts';
import { createServerPool, type ServerPool } from './server-pool.ts';

export interface HttpOptions {
  readonly connectTimeoutMs?: number;
  /** Time after which a free connection is closed. */
  readonly maxIdleMs?: number;
  /** Reports whether a server may get one more connection than these. A request waits otherwise. */
  readonly mayOpen?: (connections: number) => boolean;
  /** Returns certificates of authorities, as PEM, to trust besides those of Node. Called before the first use of TLS. */
  readonly certificates?: ExtraCertificates;
}

const CONNECT_TIMEOUT_MS = 20_000;
const MAX_IDLE_MS = 60_000;

/**
 * Returns a client for HTTP/1.1. It is written for the load of a gateway: short requests over kept connections, and
 * answers in many small pieces.
 */
export function createHttp(options: HttpOptions = {}): Http {
  const pools = createPools(options);
  /** Pools by address. Callers use the same few addresses, and computing the origin of one takes long. */
  const known = new WeakMap<URL, ServerPool>();
  let closing: Promise<void> | undefined;
  const sendLater = async (url: URL, options: SendOptions, request: WrittenRequest): Promise<HttpResponse> => {
    const pool = await pools.find(url);
    known.set(url, pool);
    if (pool.isDraining()) await pool.drained();
    if (closing !== undefined) throw closedError();
    if (options.signal.aborted) throw abortedError();
    const connection = pool.take() ?? (await pool.open(options));
    return connection.exchange(request, options, () => sendLater(url, options, request));
  };
  return {
    send(url, options) {
      if (options.signal.aborted) return Promise.reject(abortedError());
      const request = written(url, options);
      // With a free connection there is nothing to wait for.
      const connection = known.get(url)?.take();
      if (connection === undefined) return sendLater(url, options, request);
      return connection.exchange(request, options, () => sendLater(url, options, request));
    },
    close() {
      closing ??= pools.close();
      return closing;
    },
  };
}

function written(url: URL, { method, headers, body }: SendOptions): WrittenRequest {
  const head = requestHead(method ?? 'POST', url, headers);
  if (method === 'GET') return { head: `${head}\r\n`, pieces: [], size: 0 };
  const pieces = bodyPieces(body);
  let size = 0;
  for (const { byteLength } of pieces) size += byteLength;
  return { head: `${head}content-length: ${size}\r\n\r\n`, pieces, size };
}

/** The pools of all servers, by origin. */
interface Pools {
  find(url: URL): Promise<ServerPool>;
  close(): Promise<void>;
}

function createPools({
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  maxIdleMs = MAX_IDLE_MS,
  mayOpen = () => true,
  certificates,
}: HttpOptions): Pools {
  const pools = new Map<string, Promise<ServerPool>>();
  const open = new Set<ServerPool>();
  /** One timer for all connections. It is not running while no connection is free. */
  let timer: NodeJS.Timeout | undefined;
  const start = (ms: number) => {
    timer = setTimeout(endIdle, clampTimer(ms)).unref();
  };
  const endIdle = () => {
    const now = performance.now();
    const oldest = Math.min(...[...open].map((pool) => pool.endIdle(now - maxIdleMs)));
    timer = undefined;
    if (Number.isFinite(oldest)) start(Math.ceil(oldest + maxIdleMs - now));
  };
  const onFree = () => {
    if (timer === undefined) start(maxIdleMs);
  };
  const create = async (url: URL): Promise<ServerPool> => {
    const connect = await connectTo(url, certificates);
    const pool = createServerPool({ connect, connectTimeoutMs, mayOpen, onFree });
    open.add(pool);
    return pool;
  };
  return {
    find(url) {
      const pool = pools.get(url.origin) ?? create(url);
      pools.set(url.origin, pool);
      // A file of certificates that cannot be read now may be readable later.
      pool.catch(() => pools.delete(url.origin));
      return pool;
    },
    async close() {
      clearTimeout(timer);
      await Promise.all([...open].map((pool) => pool.close(closedError())));
    },
  };
}
