import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderSettings } from '../../../src/base/provider.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import type { ExchangeReport } from '../../../src/gateway/exchange/exchange-report.ts';
import { DEFAULT_LIMITS } from '../../../src/gateway/limits.ts';
import { createMemoryResponseStore } from '../../../src/gateway/memory-response-store.ts';
import { serveGateway } from '../../../src/gateway/server/serve.ts';
import type { Targets } from '../../../src/gateway/target.ts';
import { findProvider } from '../../../src/model/providers/index.ts';

export interface SceneOptions {
  /** Answers a request of the gateway. */
  answer(request: ServedRequest, response: ServerResponse): void;
  /** Returns the targets of models, for a server with that base URL. */
  targets(baseUrl: string): Targets;
}

/** Returns options under which every model is served under its own name, by a provider with its own settings. */
export function eachModel(settings: (model: string) => ProviderSettings): SceneOptions['targets'] {
  return (baseUrl) => ({
    names: [],
    find: (model) => ({
      model,
      provider: findProvider('test', { test: { baseUrl, requestMaxRetries: 0, ...settings(model) } }),
    }),
  });
}

export interface ServedRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Ids from the header or the trailer, sorted. */
  readonly repairs: readonly string[];
}

/** A server and a gateway in front of it, both on the loopback address. */
export interface GatewayScene {
  readonly url: string;
  readonly reports: readonly ExchangeReport[];
  ask(path: string, body: object): Promise<Answered>;
  close(): Promise<void>;
}

export async function startGatewayScene({ answer, targets }: SceneOptions): Promise<GatewayScene> {
  const upstream = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString());
        answer({ path: request.url ?? '', body }, response);
      });
    }),
  );
  const reports: ExchangeReport[] = [];
  const gateway = createGateway({
    targets: targets(`${upstream.url}/v1`),
    limits: DEFAULT_LIMITS,
    clientKeys: [],
    credentials: async () => ({ authorization: 'sk-of-the-server' }),
    env: {},
    world: {
      now: Date.now,
      monotonic: () => performance.now(),
      uuid: () => crypto.randomUUID(),
      random: () => 0.5,
      sleep: async () => {},
    },
    store: createMemoryResponseStore({ ttlMs: 60_000, maxEntries: 1000, maxBytes: 10_000_000, now: Date.now }),
    onReport: (report) => void reports.push(report),
    metrics: () => '',
  });
  const { url, close } = await serveGateway({ gateway, host: '127.0.0.1', port: 0, open: () => false });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    url,
    reports,
    ask: (path, body) => post(`${url}${path}`, body, agent),
    async close() {
      agent.destroy();
      await close(0);
      await upstream.close();
    },
  };
}

async function listen(server: Server): Promise<{ readonly url: string; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function post(url: string, body: object, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method: 'POST', headers: { 'content-type': 'application/json' }, agent });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status = 0, headers, trailers } = incoming;
        const ids = [headers['x-oxbow-repairs'], trailers['x-oxbow-repairs']].join(',').split(',');
        const repairs = ids.filter((id) => id !== '').sort();
        resolve({ status, headers, bytes: Buffer.concat(chunks), repairs });
      });
    });
    outgoing.end(JSON.stringify(body));
  });
}
