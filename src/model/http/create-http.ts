import type { ClientCertificate } from '../../base/provider.ts';
import { abortedError, bodyPieces, closedError, type Http, type HttpResponse, type SendOptions } from '../http.ts';
import { clampTimer } from '../idle-timer.ts';
import type { ShownCertificate } from './connect.ts';
import type { WrittenRequest } from './connection.ts';
import { findWay, type WayOptions } from './find-way.ts';
import { requestHead } from './request-head.ts';
import { createServerPool, type ServerPool } from './server-pool.ts';
import type { Relay } from './way.ts';

export interface HttpOptions extends Omit<WayOptions, 'clientCertificate'> {
  readonly connectTimeoutMs?: number;
  /** Time after which a free connection is closed. */
  readonly maxIdleMs?: number;
  /** Reports whether a server may get one more connection than these. A request waits otherwise. */
  readonly mayOpen?: (connections: number) => boolean;
  /** Reads a certificate that requests name. Throws `ModelError`. */
  readonly readClientCertificate?: (paths: ClientCertificate) => ShownCertificate;
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
    const { pool, relay } = await pools.find(url, options.clientCertificate);
    if (relay === undefined) known.set(url, pool);
    if (pool.isDraining()) await pool.drained();
    if (closing !== undefined) throw closedError();
    if (options.signal.aborted) throw abortedError();
    const connection = pool.take() ?? (await pool.open(options));
    const again = () => sendLater(url, options, request);
    if (relay === undefined) return connection.exchange(request, options, again);
    const response = await connection.exchange({ ...request, head: relay.head(request.head) }, options, again);
    const refusal = relay.refusal(response.status, response.headers['proxy-authenticate']);
    if (refusal === undefined) return response;
    response.release();
    throw refusal;
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
  if (method !== undefined) return { head: `${head}\r\n`, pieces: [], size: 0 };
  const pieces = bodyPieces(body);
  let size = 0;
  for (const { byteLength } of pieces) size += byteLength;
  return { head: `${head}content-length: ${size}\r\n\r\n`, pieces, size };
}

/** The connections to one server, and the proxy that reads what they carry. */
interface FoundPool {
  readonly pool: ServerPool;
  readonly relay: Relay | undefined;
}

/** The pools of all servers, by origin. */
interface Pools {
  find(url: URL, shown: ClientCertificate | undefined): Promise<FoundPool>;
  close(): Promise<void>;
}

function createPools({
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  maxIdleMs = MAX_IDLE_MS,
  mayOpen = () => true,
  readClientCertificate,
  ...ways
}: HttpOptions): Pools {
  const pools = new Map<string, Promise<FoundPool>>();
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
  const create = async (url: URL, shown: ClientCertificate | undefined): Promise<FoundPool> => {
    const { connect, relay } = await findWay(url, {
      ...ways,
      clientCertificate: shown && readClientCertificate?.(shown),
    });
    const pool = createServerPool({ connect, connectTimeoutMs, mayOpen, onFree });
    open.add(pool);
    return { pool, relay };
  };
  return {
    find(url, shown) {
      // Connections that show different certificates are not the same to the server.
      const key = shown === undefined ? url.origin : JSON.stringify([url.origin, shown.certificate]);
      const pool = pools.get(key) ?? create(url, shown);
      pools.set(key, pool);
      // A file of certificates that cannot be read now may be readable later.
      pool.catch(() => pools.delete(key));
      return pool;
    },
    async close() {
      clearTimeout(timer);
      await Promise.all([...open].map((pool) => pool.close(closedError())));
    },
  };
}
