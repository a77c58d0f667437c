import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as send } from 'node:http';
import { onTestFinished } from 'vitest';
import type { ProviderSettings } from '../base/provider.ts';
import { findProvider } from '../model/providers/index.ts';
import { createGateway } from './create-gateway.ts';
import type { ExchangeReport } from './exchange/exchange-report.ts';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { createMemoryResponseStore } from './memory-response-store.ts';
import { serveGateway } from './server/serve.ts';
import type { Target } from './target.ts';

export const SECRET = 'sk-upstream-secret-0123456789';

export interface TestGateway {
  readonly url: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly reports: readonly ExchangeReport[];
  /** Resolves with the n-th report, counted from 1. */
  report(n?: number): Promise<ExchangeReport>;
}

/**
 * Starts a gateway in front of a server, on a server of its own. The gateway's `alias` is the server's
 * `real-model`.
 */
export async function startTestGateway(
  baseUrl: string,
  provider: ProviderSettings = {},
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const reports: ExchangeReport[] = [];
  let wake = () => {};
  const gateway = createGateway({
    ...testOptions(baseUrl, provider),
    onReport(report) {
      reports.push(report);
      wake();
    },
    ...options,
  });
  const { url, close } = await serveGateway({ gateway, host: '127.0.0.1', port: 0, open: () => false });
  onTestFinished(() => close(0));
  const report = async (n = 1): Promise<ExchangeReport> => {
    for (;;) {
      const found = reports[n - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { url, port: Number(new URL(url).port), gateway, reports, report };
}

export function testOptions(baseUrl: string, settings: ProviderSettings = {}): GatewayOptions {
  const provider = findProvider('test', { test: { baseUrl, requestMaxRetries: 0, ...settings } });
  const targets = new Map<string, Target>([
    ['real-model', { provider, model: 'real-model' }],
    ['alias', { provider, model: 'real-model' }],
  ]);
  let ids = 0;
  return {
    targets: { find: (name) => targets.get(name), names: [...targets.keys()] },
    limits: DEFAULT_LIMITS,
    clientKeys: [],
    credentials: async () => ({ authorization: SECRET }),
    env: {},
    world: {
      now: Date.now,
      monotonic: () => performance.now(),
      uuid: () => `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
      random: () => 0.5,
      sleep: async () => {},
    },
    store: createMemoryResponseStore({ ttlMs: 60_000, maxEntries: 100, maxBytes: 10_000_000, now: Date.now }),
    onReport: () => {},
    metrics: () => 'oxbow_up 1\n',
  };
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly text: string;
}

/** Sends one request as a plain client. An object is sent as JSON. */
export function ask(
  url: string,
  body?: object | string,
  options: { readonly method?: string; readonly headers?: OutgoingHttpHeaders } = {},
): Promise<Answered> {
  const { method = body === undefined ? 'GET' : 'POST', headers } = options;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: { 'content-type': 'application/json', ...headers }, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status = 0, headers: heads, trailers } = incoming;
        resolve({ status, headers: heads, trailers, text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}
