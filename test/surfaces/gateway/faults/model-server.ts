import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that a server has received whole, and the answer to write. */
export interface ServerExchange {
  /** From 0. */
  readonly n: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Resolves when the connection is closed or the answer has ended. */
  readonly over: Promise<void>;
}

export interface ModelServer {
  /** Its base URL. */
  readonly url: string;
  readonly exchanges: readonly ServerExchange[];
  /** Resolves with the n-th exchange, from 0. */
  exchange(n: number): Promise<ServerExchange>;
  /** Returns the number of open connections. */
  connections(): number;
}

/** Starts a real server on a free port that answers as badly as a test wants. */
export async function startModelServer(answer: (exchange: ServerExchange) => void): Promise<ModelServer> {
  const exchanges: ServerExchange[] = [];
  const sockets = new Set<Socket>();
  const wake: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on('error', () => {});
    const over = new Promise<void>((resolve) => response.once('close', resolve));
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers, socket } = request;
      const body = Buffer.concat(chunks).toString();
      const exchange = { n: exchanges.length, path, headers, body, response, socket, over };
      exchanges.push(exchange);
      for (const each of wake.splice(0)) each();
      answer(exchange);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    exchanges,
    async exchange(n) {
      for (;;) {
        const found = exchanges[n];
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
    connections: () => sockets.size,
  };
}
