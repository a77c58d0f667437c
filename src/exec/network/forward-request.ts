import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { messageOf } from '../../base/errors.ts';

/** Headers that concern one connection, and so not the other side of a proxy. */
const OF_ONE_CONNECTION = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Sends a plain request over a new connection, and passes the answer back as it comes. */
export function forwardRequest(incoming: IncomingMessage, answer: ServerResponse, url: URL, socket: Socket): void {
  const fail = (error: unknown) => {
    socket.destroy();
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502, { connection: 'close' }).end(`The server's answer broke off: ${messageOf(error)}.\n`);
  };
  const outgoing = request({
    createConnection: () => socket,
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    headers: requestHeaders(incoming, url),
  });
  outgoing.on('error', fail);
  outgoing.on('response', (response) => {
    try {
      answer.writeHead(response.statusCode ?? 502, keptHeaders(response));
    } catch (error) {
      // The server sent a status or header that Node refuses to send.
      fail(error);
      return;
    }
    pipeline(response, answer, () => socket.destroy());
  });
  answer.once('close', () => socket.destroy());
  pipeline(incoming, outgoing, () => undefined);
}

/** Returns the headers for the server. The host comes from the checked URL, not from the header of the client. */
function requestHeaders(incoming: IncomingMessage, url: URL): string[] {
  const framing = incoming.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
  return ['Host', url.host, ...keptHeaders(incoming), ...framing, 'Connection', 'close'];
}

function keptHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    if (!OF_ONE_CONNECTION.has(key) && !named.includes(key)) kept.push(name, rawHeaders[index + 1] ?? '');
  }
  return kept;
}
