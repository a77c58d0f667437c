import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../base/json-schema.ts';
import type { RequestBody } from './recorded-request.ts';

/** A request whose body has arrived. */
export interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytes: Buffer;
  /** Undefined when the body is not a JSON object. */
  readonly body: RequestBody | undefined;
}

export interface LoopbackServer {
  readonly port: number;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

/** Starts an HTTP server on the loopback address. Port 0 picks a free one. */
export async function startLoopbackServer(
  serve: (arrived: ReceivedRequest) => Promise<void>,
  port: number,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => void receive(request, response, serve));
  // A connection stays open while the client runs a long command. A limit would end it at random.
  server.keepAliveTimeout = 0;
  return {
    port: await listen(server, port),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  serve: (arrived: ReceivedRequest) => Promise<void>,
): Promise<void> {
  const bytes = await readBody(request);
  if (bytes !== undefined) await serve({ request, response, bytes, body: parseBody(bytes) });
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The client left while it was sending, so there is no request to answer.
    return undefined;
  }
  return Buffer.concat(chunks);
}

function parseBody(bytes: Buffer): RequestBody | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
