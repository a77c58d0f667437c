import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { ModelError } from '../base/errors.ts';
import type { Model, ModelEvent, ModelRequest, StreamedEvent } from '../base/model.ts';
import type { ProviderSettings } from '../base/provider.ts';
import type { ClientWire, StreamDecoder } from '../base/wire.ts';
import type { World } from '../base/world.ts';
import { sse } from '../wire/framing/sse.ts';
import { createModel, type ModelOptions } from './create-model.ts';
import { createHttp } from './http/create-http.ts';
import { findProvider } from './providers/index.ts';
import { createServerMemory } from './server-memory.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestServer {
  readonly url: string;
  readonly requests: readonly Received[];
  /** Connections so far. */
  connections(): number;
  /** Connections that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** Starts a real server on a free port. `answer` is called when a whole request has come; `turn` counts from 1. */
export async function startServer(
  answer: (response: ServerResponse, turn: number, request: IncomingMessage) => void,
): Promise<TestServer> {
  const requests: Received[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      answer(response, requests.length, request);
    });
  });
  let open = 0;
  // A time limit would end connections by chance.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    connections++;
    open++;
    socket.on('close', () => open--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => connections,
    openConnections: () => open,
    close,
  };
}

/** Starts a server that listens and accepts no connections: its short queue is full. Linux only. */
export async function startDeafServer(): Promise<URL> {
  const script = `const { parentPort } = require('worker_threads');
  require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    parentPort.postMessage(this.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  })`;
  const worker = new Worker(script, { eval: true });
  const [port] = await once(worker, 'message');
  const fill = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1'));
  onTestFinished(async () => {
    for (const socket of fill) socket.destroy();
    await worker.terminate();
  });
  for (const socket of fill) socket.on('error', () => {});
  await once(fill[0] ?? worker, 'connect');
  return new URL(`http://127.0.0.1:${port}`);
}

/** A wire whose frames are the events themselves. A frame `held` keeps a failure until the stream ends. */
export const plainWire: ClientWire = {
  name: 'responses',
  path: '/responses',
  framing: sse,
  headers: {},
  credential: { name: 'authorization', scheme: 'Bearer' },
  carries: { customTools: true, namespaces: true, localShell: true, hostedTools: true },
  forgetsReasoning: false,
  unsentTools: () => [],
  isWholeAnswer: (text) => text.includes('"choices"') || text.includes('"output"'),
  encodeRequest: (request, compat) => ({
    head: '',
    entries: [],
    rest: JSON.stringify({ model: request.model, input: request.input, compat }),
  }),
  decodeStream: plainDecoder,
};

function plainDecoder(): StreamDecoder {
  let held: ModelEvent = { type: 'failed', code: 'stream_closed', message: 'it never said that it was finished' };
  return {
    push({ event, data }) {
      const parsed = parse(data);
      if (event !== 'held') return parsed === undefined ? [] : [parsed];
      if (parsed !== undefined) held = parsed;
      return [];
    },
    end: () => [held],
  };
}

function parse(data: string): ModelEvent | undefined {
  try {
    return JSON.parse(data) as ModelEvent;
  } catch {
    return undefined;
  }
}

export const CREATED: ModelEvent = { type: 'created', responseId: 'r1' };
export const COMPLETED: ModelEvent = { type: 'completed', responseId: 'r1', usage: null, endTurn: null };

export function frame(event: ModelEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Answers with a whole stream. */
export function sendStream(response: ServerResponse, ...events: readonly ModelEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map(frame).join(''));
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Returns a world whose sleeps are recorded and end at once. */
export function testWorld(): World & { readonly delays: number[] } {
  const delays: number[] = [];
  return {
    delays,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    monotonic: () => performance.now(),
    uuid: () => '00000000-0000-7000-8000-000000000000',
    random: () => 0.5,
    sleep: async (ms) => {
      delays.push(ms);
    },
  };
}

/** Returns the wires of a server that is known to speak only this one. */
function onlyWire(wire: ClientWire): ModelOptions['wires'] {
  return { load: async () => wire, known: () => undefined, onFound() {} };
}

export function testModel(
  baseUrl: string,
  settings: ProviderSettings = {},
  { wire = plainWire, ...options }: Partial<ModelOptions> & { readonly wire?: ClientWire } = {},
): Model {
  return createModel({
    provider: findProvider('test', { test: { baseUrl, wire: wire.name, ...settings } }),
    wires: onlyWire(wire),
    credentials: async () => ({ authorization: 'sk-very-secret-key' }),
    identity: { requestId: 'thread-1', threadId: 'thread-1', originator: 'oxbow_test', userAgent: 'oxbow/0' },
    world: testWorld(),
    env: {},
    http: createHttp(),
    memory: createServerMemory(),
    ...options,
  });
}

export const REQUEST: ModelRequest = {
  model: 'test-model',
  instructions: '',
  input: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

/** Returns all events and the error that ended them. Fails on an error that is not a `ModelError`. */
export async function ask(
  model: Model,
  signal: AbortSignal = new AbortController().signal,
  request: ModelRequest = REQUEST,
): Promise<{ readonly events: readonly StreamedEvent[]; readonly error?: ModelError }> {
  const events: StreamedEvent[] = [];
  try {
    for await (const event of model.stream(request, { signal, turnId: 'turn-1' })) events.push(event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, error };
  }
  return { events };
}

/** Returns the error of a request that must fail. */
export async function failure(model: Model, signal?: AbortSignal): Promise<ModelError> {
  const { error } = await ask(model, signal);
  if (error === undefined) throw new Error('the request was expected to fail');
  return error;
}
