import { type AddressInfo, createServer, type Server } from 'node:net';
import { messageOf, UserError } from '../../base/errors.ts';
import { createPageCheck } from '../../base/foreign-page.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { Gateway } from '../gateway.ts';
import type { Incoming, Outgoing } from './client-io.ts';
import { ClientConnection } from './http/client-connection.ts';
import { createFieldLines } from './http/http-outgoing.ts';
import { sendError } from './send-json.ts';

export interface ServeOptions {
  readonly gateway: Pick<Gateway, 'serve' | 'drain'>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Reports whether clients need no key: then pages of other sites must be kept out in another way. */
  open(): boolean;
}

export interface GatewayServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** Stops accepting connections. Exchanges have `drainMs` to end, then they are cut off. */
  close(drainMs: number): Promise<void>;
}

/** Listens for a gateway. Throws `UserError` when the address is not available. */
export async function serveGateway({ gateway, host, port, open }: ServeOptions): Promise<GatewayServer> {
  const connections = new Set<ClientConnection>();
  const answers = createAnswers();
  const isForeign = createPageCheck();
  const handle = (incoming: Incoming, outgoing: Outgoing): void => {
    answers.begun();
    const headers = { host: incoming.header('host'), origin: incoming.header('origin') };
    if (incoming.header('upgrade')?.toLowerCase() === 'websocket') sendError(outgoing, NO_WEBSOCKET);
    else if (open() && isForeign({ headers })) sendError(outgoing, FOREIGN);
    else gateway.serve(incoming, outgoing);
  };
  const owner = {
    date: createDate(),
    linesOf: createFieldLines(),
    handle,
    answered: answers.ended,
    gone: (connection: ClientConnection) => void connections.delete(connection),
  };
  const server = createServer({ noDelay: true }, (socket) => connections.add(new ClientConnection(socket, owner)));
  const checks = setInterval(() => {
    const now = performance.now();
    for (const connection of connections) connection.checkTime(now);
  }, CHECK_MS).unref();
  await listen(server, host, port);
  return {
    url: urlOf(server.address() as AddressInfo),
    async close(drainMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, drainMs);
      });
      await gateway.drain(drainMs);
      // An exchange is over when its answer was written, but a client that reads slowly may not have all of it yet.
      await Promise.race([answers.none(), late]);
      clearTimeout(timer);
      clearInterval(checks);
      for (const { socket } of connections) socket.destroy();
      await closed;
    },
  };
}

/** How often connections are searched for those that were silent for too long. */
const CHECK_MS = 5000;

/** The answers that clients do not have completely yet. */
interface Answers {
  begun(): void;
  ended(): void;
  /** Resolves as soon as there is none. */
  none(): Promise<void>;
}

function createAnswers(): Answers {
  let count = 0;
  let onNone = () => {};
  return {
    begun() {
      count++;
    },
    ended() {
      count--;
      if (count === 0) onNone();
    },
    none: () =>
      new Promise((resolve) => {
        onNone = resolve;
        if (count === 0) resolve();
      }),
  };
}

/** Returns a function that writes the time as HTTP does. Its text is made once a second. */
function createDate(): () => string {
  let text = '';
  let validUntil = 0;
  return () => {
    const now = Date.now();
    if (now >= validUntil || now < validUntil - 1000) {
      text = new Date(now).toUTCString();
      validUntil = now - (now % 1000) + 1000;
    }
    return text;
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

/** Error for a WebSocket. It ends the connection, so that clients continue with plain HTTP. */
const NO_WEBSOCKET = new ClientError('The gateway speaks no WebSocket. Use plain HTTP on the same path.', {
  status: 426,
  code: 'upgrade_not_supported',
  headers: { connection: 'close' },
});

const FOREIGN = new ClientError(
  'The gateway asks for no key, so it answers only programs that call it by an address of this machine, such as 127.0.0.1, and no pages of other sites. Set gateway.key_env to open it.',
  { status: 403, code: 'forbidden_origin', headers: { connection: 'close' } },
);
