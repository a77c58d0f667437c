import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf, UserError } from '../../base/errors.ts';
import { createPageCheck } from '../../base/foreign-page.ts';
import { stopListening } from '../../node-internals/stop-listening.ts';
import type { Gateway } from '../gateway.ts';

export interface ServeOptions {
  readonly gateway: Pick<Gateway, 'handle' | 'drain'>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Refuses a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex): void;
  /** Reports whether clients need no key: then pages of other sites must be kept out in another way. */
  open(): boolean;
}

export interface GatewayServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** Stops accepting connections. Exchanges have `drainMs` to end, then they are cut off. */
  close(drainMs: number): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 30_000;
/** Longer than clients and proxies usually keep a connection, so that the client is the one who closes it. */
const KEEP_ALIVE_MS = 75_000;

/** Listens for a gateway. Throws `UserError` when the address is not available. */
export async function serveGateway({ gateway, host, port, upgrade, open }: ServeOptions): Promise<GatewayServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    // The gateway has its own limits on the time for a body and an answer.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const answers = createAnswers();
  const isForeign = createPageCheck();
  // There is no listener for `upgrade`: with one, Node would also pass it every request that only offers HTTP/2.
  server.on('request', (request, response) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') {
      upgrade(request, request.socket);
      return;
    }
    answers.add(response);
    if (open() && isForeign(request)) refuse(response);
    else gateway.handle(request, response);
  });
  await listen(server, host, port);
  return {
    url: urlOf(server.address() as AddressInfo),
    async close(drainMs) {
      const closed = stopListening(server);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, drainMs);
      });
      await gateway.drain(drainMs);
      // An exchange is over when its answer was written, but a client that reads slowly may not have all of it yet.
      await Promise.race([answers.none(), late]);
      clearTimeout(timer);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The answers that clients do not have completely yet. */
interface Answers {
  add(response: ServerResponse): void;
  /** Resolves as soon as there is none. */
  none(): Promise<void>;
}

function createAnswers(): Answers {
  let count = 0;
  let onNone = () => {};
  return {
    add(response) {
      count++;
      response.once('close', () => {
        count--;
        if (count === 0) onNone();
      });
    },
    none: () =>
      new Promise((resolve) => {
        onNone = resolve;
        if (count === 0) resolve();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EACCES: 'you may not use this port',
  EADDRNOTAVAIL: 'this machine has no such address',
  EAI_AGAIN: 'the name of the host is not known',
  ENOTFOUND: 'the name of the host is not known',
};

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): UserError {
  if (error.code === 'EADDRINUSE') {
    return new UserError('in_use', `Port ${port} on ${host} is in use.`, { remedy: { type: 'choose_port' } });
  }
  const why = WHY_NOT[error.code ?? ''] ?? messageOf(error);
  return new UserError('unavailable', `The gateway cannot listen on ${host}, port ${port}: ${why}.`);
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const REFUSAL = JSON.stringify({
  error: {
    message:
      'The gateway asks for no key, so it answers only programs that call it by an address of this machine, such as 127.0.0.1, and no pages of other sites. Set gateway.key_env to open it.',
    type: 'invalid_request_error',
    param: null,
    code: 'forbidden_origin',
  },
});

function refuse(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
  response.end(REFUSAL);
}
