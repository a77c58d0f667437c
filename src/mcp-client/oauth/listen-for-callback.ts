import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { SignInBrowser } from './sign-in-context.ts';

export interface CallbackOptions {
  /** Port to listen on, or 0 for any free one. */
  readonly port: number;
  /** Address that the browser is sent back to, if it is not that of the listener. */
  readonly url?: string;
  /** Shows an address to the user. */
  open(url: URL): void | Promise<void>;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** Time that a user has to sign in. */
const SIGN_IN_MS = 5 * 60_000;

const PATH = '/callback';

/** Listens on the loopback address for the browser that comes back from a sign-in. */
export async function listenForCallback({
  port,
  url,
  open,
  signal,
  timeoutMs = SIGN_IN_MS,
}: CallbackOptions): Promise<SignInBrowser> {
  const server = createServer();
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return {
    redirectUrl: url ?? `http://127.0.0.1:${bound}${PATH}`,
    async authorize(address) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const coming = callback(server, address.searchParams.get('state'), limit);
      coming.catch(() => {});
      await open(address);
      return await coming;
    },
    close,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use' : messageOf(error);
      const advice = 'Set mcp_oauth_callback_port to another port.';
      reject(new McpFault('sign_in', `Port ${port}, to which a sign-in returns, cannot be used: ${why}. ${advice}`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Resolves with the parameters of the first request that has the state. Others may come from any page. */
function callback(server: Server, state: string | null, limit: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
      const isMeant = request.method === 'GET' && pathname.endsWith(PATH) && searchParams.get('state') === state;
      response.writeHead(isMeant ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
      response.end(isMeant ? page(searchParams.has('code')) : 'Not found.', () => isMeant && resolve(searchParams));
    });
    const stop = () => reject(new McpFault('sign_in', 'No sign-in came back from the browser in time. Try again.'));
    limit.addEventListener('abort', stop, { once: true });
    if (limit.aborted) stop();
  });
}

function page(isDone: boolean): string {
  const text = isDone
    ? 'You are signed in. You can close this page.'
    : 'The sign-in was refused. You can close this page.';
  return `<!doctype html><meta charset="utf-8"><title>Oxbow</title><p>${text}</p>`;
}
