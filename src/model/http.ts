import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { ModelError } from '../base/errors.ts';
import type { Meter } from '../base/model.ts';
import { allAtOnce, pieceByPiece } from './arriving-bytes.ts';
import { clampTimer, createIdleTimer } from './idle-timer.ts';
import { addressOf, headerList } from './request-options.ts';

/** A client with connections of its own, which it keeps for the next request. */
export interface Http {
  /**
   * Resolves when the head of an answer is there, whatever its status. Throws `ModelError` when it was aborted or when
   * nothing came for too long, and Node's own error when the server could not be reached.
   */
  send(url: URL, options: SendOptions): Promise<HttpResponse>;
}

export interface SendOptions {
  /** POST, unless it says otherwise; only a POST has a body. */
  readonly method?: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | readonly Uint8Array[];
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Read the body in the pieces in which it came, instead of all at once that has come. */
  readonly unjoined?: boolean;
  /** Bytes of bodies that were sent and read are added here. */
  readonly meter?: Meter | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next bytes of the body, null at its end. Throws `ModelError`: aborted, idle_timeout or stream_broken. */
  read(idleTimeoutMs: number): Promise<Uint8Array | null>;
  /** Nobody wants the rest. The connection is kept for the next request if the rest is short, else closed. */
  release(): void;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 20_000;
const MAX_DRAIN_WAIT_MS = 25;
const MAX_DRAIN_MS = 1000;
const MAX_DRAIN_BYTES = 256 * 1024;

const AGENT_OPTIONS = {
  keepAlive: true,
  // Node gives up each address of a host but the last after 250 ms, too short for a distant server:
  // https://github.com/nodejs/node/issues/54359
  autoSelectFamilyAttemptTimeout: 5000,
};

export function createHttp({ connectTimeoutMs = CONNECT_TIMEOUT_MS } = {}): Http {
  const plain: Transport = { request: httpRequest, agent: new Agent(AGENT_OPTIONS) };
  let secure: Promise<Transport> | undefined;
  const draining: Draining = { count: 0, waiting: new Set() };
  const secureTransport = (): Promise<Transport> => (secure ??= loadHttps());
  return {
    async send(url, options) {
      if (options.signal.aborted) throw abortedError();
      const via = url.protocol === 'https:' ? await secureTransport() : plain;
      if (draining.count > 0 && Object.keys(via.agent.freeSockets).length === 0) await firstOf(draining);
      for (;;) {
        const response = await sendOnce(via, { url, options, connectTimeoutMs, draining });
        if (response !== 'stale') return response;
      }
    },
  };
}

export function abortedError(): ModelError {
  return new ModelError('aborted', 'The request was interrupted.');
}

/** Connections that are read to the end of a response nobody wants more of, and who waits for the first of them. */
interface Draining {
  count: number;
  readonly waiting: Set<() => void>;
}

/** The next request often follows at once, and waiting a moment is cheaper than a new connection. */
function firstOf({ waiting }: Draining): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      waiting.delete(done);
      resolve();
    };
    const timer = setTimeout(done, MAX_DRAIN_WAIT_MS);
    waiting.add(done);
  });
}

interface Transport {
  readonly request: typeof httpRequest;
  readonly agent: Agent;
}

/** Loaded when first needed: TLS costs time and memory that a server on this machine does not need. */
async function loadHttps(): Promise<Transport> {
  const https = await import('node:https');
  return { request: https.request, agent: new https.Agent(AGENT_OPTIONS) };
}

interface Sent {
  readonly url: URL;
  readonly options: SendOptions;
  readonly connectTimeoutMs: number;
  readonly draining: Draining;
}

function sendOnce(via: Transport, sent: Sent): Promise<HttpResponse | 'stale'> {
  const { url, options, connectTimeoutMs, draining } = sent;
  const { method = 'POST', headers, body, idleTimeoutMs, signal, unjoined = false, meter } = options;
  if (signal.aborted) throw abortedError();
  const pieces = bodyPieces(body);
  const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const outgoing = via.request({
    ...addressOf(url),
    method,
    agent: via.agent,
    headers: headerList(url, headers, method === 'GET' ? undefined : size),
    timeout: clampTimer(idleTimeoutMs),
  });
  limitConnect(outgoing, connectTimeoutMs);
  const answered = answerTo(outgoing, { signal, draining, unjoined, meter, size });
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
  return answered;
}

/** What is sent, in the pieces in which it was given. */
export function bodyPieces(body: SendOptions['body']): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body;
}

/**
 * `stale`: it went over a kept connection that the server was closing at that moment. Apart from `sendOnce`, so that what
 * listens while a response streams does not hold on to the body of the request.
 */
function answerTo(outgoing: ClientRequest, options: AnswerOptions): Promise<HttpResponse | 'stale'> {
  const { signal, meter, size } = options;
  return new Promise((resolve, reject) => {
    let unsent = size;
    const countSent = () => {
      if (meter) meter.sentBytes += unsent;
      unsent = 0;
    };
    const giveUp = (error: ModelError) => {
      if (outgoing.writableFinished) countSent();
      reject(error);
      outgoing.destroy();
    };
    // One listener for both halves of an exchange.
    let abort = () => giveUp(abortedError());
    const onAbort = () => abort();
    const onTimeout = () => giveUp(idleTimeoutError());
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.once('timeout', onTimeout);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', onAbort);
      if (outgoing.reusedSocket && STALE_CODES.has(error.code)) return resolve('stale');
      if (outgoing.writableFinished) countSent();
      reject(error);
    });
    outgoing.once('response', (incoming) => {
      countSent();
      outgoing.off('timeout', onTimeout);
      const onAborted = (listener: () => void) => {
        abort = listener;
      };
      const forget = () => signal.removeEventListener('abort', onAbort);
      resolve(toResponse({ ...options, outgoing, incoming, onAborted, forget }));
    });
  });
}

const STALE_CODES = new Set<string | undefined>(['ECONNRESET', 'EPIPE']);

/** The system would wait minutes for a host that drops what is sent to it. */
function limitConnect(outgoing: ClientRequest, ms: number): void {
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      outgoing.destroy(Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' }));
    }, ms);
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop);
    socket.once('close', stop);
  });
}

interface AnswerOptions {
  readonly signal: AbortSignal;
  readonly draining: Draining;
  readonly unjoined: boolean;
  readonly meter: Meter | undefined;
  /** Of the request's body. */
  readonly size: number;
}

interface Exchange extends AnswerOptions {
  readonly outgoing: ClientRequest;
  readonly incoming: IncomingMessage;
  /** Says what to do when the signal aborts. */
  readonly onAborted: (listener: () => void) => void;
  /** The signal no longer matters. */
  readonly forget: () => void;
}

function toResponse({ outgoing, incoming, ...options }: Exchange): HttpResponse {
  const { signal, draining, unjoined, meter, onAborted, forget } = options;
  let wake = () => {};
  let fault: Error | undefined;
  onAborted(() => {
    outgoing.destroy();
    wake();
  });
  const take = unjoined ? pieceByPiece(incoming, () => wake()) : allAtOnce(incoming, () => wake());
  incoming.on('end', () => wake());
  incoming.on('close', () => wake());
  incoming.on('error', (error) => {
    fault = error;
    wake();
  });

  const idle = createIdleTimer();
  const bytes = (idleTimeoutMs: number) =>
    new Promise<void>((resolve, reject) => {
      wake = resolve;
      idle.start(idleTimeoutMs, () => reject(idleTimeoutError()));
    });

  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    async read(idleTimeoutMs) {
      for (;;) {
        if (signal.aborted) throw abortedError();
        const chunk = take();
        if (chunk !== null) {
          if (meter) meter.receivedBytes += chunk.byteLength;
          return chunk;
        }
        if (incoming.readableEnded) return null;
        if (incoming.destroyed) throw brokenError(fault);
        await bytes(idleTimeoutMs);
      }
    },
    release() {
      idle.stop();
      forget();
      if (outgoing.closed) return;
      draining.count++;
      outgoing.once('close', () => {
        draining.count--;
        for (const done of draining.waiting) done();
      });
      drain(outgoing, incoming);
    },
    close() {
      idle.stop();
      forget();
      outgoing.destroy();
    },
  };
}

function drain(outgoing: ClientRequest, incoming: IncomingMessage): void {
  // A server that answers before it has read the whole request may never read the rest.
  if (!outgoing.writableFinished) {
    outgoing.destroy();
    return;
  }
  if (incoming.readableEnded || incoming.destroyed) return;
  if (incoming.complete) {
    incoming.removeAllListeners('data');
    incoming.resume();
    return;
  }
  const timer = setTimeout(() => outgoing.destroy(), MAX_DRAIN_MS).unref();
  // The process may end meanwhile; the agent takes the reference again when it uses the connection.
  incoming.socket.unref();
  let left = MAX_DRAIN_BYTES;
  incoming.removeAllListeners('data');
  incoming.on('data', (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left < 0) outgoing.destroy();
  });
  incoming.once('close', () => clearTimeout(timer));
  incoming.resume();
}

export function idleTimeoutError(): ModelError {
  return new ModelError('idle_timeout', 'idle timeout waiting for SSE', { retryable: true });
}

export function brokenError(cause: Error | undefined): ModelError {
  const why = cause === undefined || cause.message === 'aborted' ? 'the connection was closed' : cause.message;
  return new ModelError('stream_broken', `stream disconnected before completion: ${why}`, { retryable: true, cause });
}
