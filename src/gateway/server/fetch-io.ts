import type { EndSignal } from '../../model/end-signal.ts';
import type { Incoming, Outgoing } from './client-io.ts';

/**
 * Returns a request and its answer for a server that uses `Request` and `Response`. The response resolves as soon as
 * its head is set.
 */
export function fetchIo(request: Request): {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly response: Promise<Response>;
} {
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal]);
  let answer: (response: Response) => void = () => {};
  const response = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  return {
    incoming: fetchIncoming(request, signal),
    outgoing: fetchOutgoing(
      (response) => answer(response),
      () => left.abort(),
    ),
    response,
  };
}

function fetchIncoming(request: Request, signal: AbortSignal): Incoming {
  const incoming: Incoming & { left: boolean } = {
    method: request.method,
    path: new URL(request.url).pathname,
    query: new URL(request.url).search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    readBody: (maxBytes, ended) => orEnded(readBody(request, maxBytes), ended),
    left: signal.aborted,
    onLeft(listener) {
      signal.addEventListener('abort', listener, { once: true });
    },
  };
  signal.addEventListener('abort', () => {
    incoming.left = true;
  });
  return incoming;
}

/**
 * Rejects when the exchange ends, so that a slow body is not waited for: reading a body has no time limit of its own.
 */
function orEnded<T>(work: Promise<T>, signal: EndSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The exchange was over before its request was read.')));
    work.then(resolve, reject);
  });
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length')) > maxBytes) return undefined;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function fetchOutgoing(answer: (response: Response) => void, onLeft: () => void): Outgoing {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let over = false;
  let wake = () => {};
  const stop = () => {
    over = true;
    wake();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
    pull: () => wake(),
    cancel: () => {
      stop();
      onLeft();
    },
  });
  return {
    trailers: false,
    head: (status, headers) => answer(new Response(status === 204 ? null : body, { status, headers })),
    write(bytes) {
      if (over || controller === undefined) return undefined;
      controller.enqueue(typeof bytes === 'string' ? encoder.encode(bytes) : bytes);
      if ((controller.desiredSize ?? 0) > 0) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    flush() {},
    end() {
      if (over) return;
      stop();
      controller?.close();
    },
    abort() {
      if (over) return;
      stop();
      controller?.error(new Error('The gateway broke the answer off.'));
    },
  };
}
