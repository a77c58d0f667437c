import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { bearerKey, isKnownKey } from '../../auth/known-key.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import { createPageCheck, type IsForeign } from '../../base/foreign-page.ts';
import { isLoopback } from '../../base/loopback.ts';
import { createServer, type Exchange, type ServedParts } from '../create-server.ts';
import { errorResponse, parseErrorResponse } from './error-response.ts';
import { createHttpExchange, type McpHttpExchange } from './http-exchange.ts';
import { createHttpSessions, type SessionLimits } from './http-sessions.ts';

export interface McpHttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Keys of which clients must show one. Empty only on an address of this machine. */
  readonly keys: readonly string[];
  readonly sessions?: SessionLimits | undefined;
  /** Called with the address of the server once it accepts requests. */
  onListening(url: string): void;
}

const PATH = '/mcp';

/** The most bytes of one request. */
const MOST_BYTES = 32 * 1024 * 1024;
const HEADERS_TIMEOUT_MS = 30_000;

/** Serves clients over HTTP until `stop` aborts. Throws `UserError` when the address is not available. */
export async function serveOverHttp(parts: ServedParts, options: McpHttpOptions, stop: AbortSignal): Promise<void> {
  if (options.keys.length === 0 && !isLoopback(options.host)) throw openToOthers(options.host);
  const http = createHttpServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: 0 });
  const { answer, close } = createAnswerer(parts, options.sessions);
  const admit = createGate(options);
  http.on('request', (request, response) => {
    const exchange = createHttpExchange(request, response);
    const refused = admit(request);
    const done = refused === undefined ? answer(exchange) : exchange.send(refused);
    done.catch((error: unknown) => {
      if (!exchange.left.aborted) parts.onError(error);
      response.destroy();
    });
  });
  await listen(http, options);
  options.onListening(`${urlOf(http.address() as AddressInfo)}${PATH}`);
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  const closed = new Promise((resolve) => http.close(resolve));
  await close();
  http.closeAllConnections();
  await closed;
}

/** Returns the function that answers requests of clients of every revision, and the one that ends all of them. */
function createAnswerer(parts: ServedParts, limits: SessionLimits | undefined) {
  const exchanges = new WeakMap<Request, Exchange>();
  const create = () => createServer({ ...parts, exchangeOf: (request) => exchanges.get(request) });
  const sessions = createHttpSessions(create, limits);
  const modern = createMcpHandler(create, { legacy: 'reject', maxRequestBodySize: MOST_BYTES });

  async function answer(exchange: McpHttpExchange): Promise<void> {
    const read = await exchange.read(MOST_BYTES);
    if (read === undefined) return exchange.send(errorResponse(413, `A request has at most ${MOST_BYTES} bytes.`));
    const { request, text } = read;
    const body = parsed(text);
    if (request.method === 'POST' && body === undefined)
      return exchange.send(parseErrorResponse('The body of the request is not JSON.'));
    exchanges.set(request, exchange);
    try {
      const isLegacy = await isLegacyRequest(request, body);
      await exchange.send(
        await (isLegacy ? sessions.answer(request, body) : modern.fetch(request, { parsedBody: body })),
      );
    } finally {
      sessions.ended(request);
    }
  }

  return {
    answer,
    async close() {
      await Promise.allSettled([sessions.close(), modern.close()]);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the function that refuses requests of pages of other sites, without a key, and of other paths. */
function createGate({ host, keys }: McpHttpOptions): (request: IncomingMessage) => Response | undefined {
  const isForeign = isLoopback(host) ? createPageCheck() : isOtherSite;
  return (request) => {
    if (isForeign(request)) return errorResponse(403, FOREIGN);
    if (keys.length > 0 && !isKnownKey(bearerKey(request.headers.authorization) ?? '', keys))
      return errorResponse(401, NO_KEY, { 'www-authenticate': 'Bearer' });
    if (request.url?.split('?')[0] !== PATH)
      return errorResponse(404, `There is nothing here. The server is at ${PATH}.`);
    return undefined;
  };
}

/** Reports whether a request comes from a page that this server has not sent, which sends none. */
const isOtherSite: IsForeign = ({ headers: { host, origin } }) =>
  origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);

const FOREIGN =
  'The server answers programs that call it by its own address, such as 127.0.0.1, and no pages of other sites.';
const NO_KEY = 'The request shows no key that this server knows. Send one as Authorization: Bearer KEY.';

function openToOthers(host: string): UserError {
  return new UserError('invalid_input', `Without a key the server listens on this machine only, not on ${host}.`);
}

function listen(server: Server, { host, port }: McpHttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): UserError {
  if (error.code === 'EADDRINUSE')
    return new UserError('in_use', `Port ${port} on ${host} is in use. Choose another one, or 0 for any free port.`);
  return new UserError('unavailable', `The server cannot listen on ${host}, port ${port}: ${messageOf(error)}.`);
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
