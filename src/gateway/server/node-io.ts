import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndSignal } from '../../model/end-signal.ts';
import { flushResponse } from '../../node-internals/flush-response.ts';
import type { Incoming, Outgoing } from './client-io.ts';

/** Returns a request and its answer for a server of `node:http`. */
export function nodeIo(
  request: IncomingMessage,
  response: ServerResponse,
): { readonly incoming: Incoming; readonly outgoing: Outgoing } {
  const incoming = nodeIncoming(request);
  response.on('close', () => {
    if (response.writableFinished) return;
    incoming.left = true;
    incoming.leave();
  });
  // A broken connection is noticed when it closes. The error itself adds nothing.
  request.on('error', () => {});
  response.on('error', () => {});
  return { incoming, outgoing: nodeOutgoing(request, response) };
}

interface NodeIncoming extends Incoming {
  left: boolean;
  leave: () => void;
}

function nodeIncoming(request: IncomingMessage): NodeIncoming {
  return {
    method: request.method ?? 'GET',
    path: pathOf(request.url ?? '/'),
    query: queryOf(request.url ?? ''),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    readBody: (maxBytes, signal) => readBody(request, maxBytes, signal),
    left: false,
    leave: () => {},
    onLeft(listener) {
      this.leave = listener;
    },
  };
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

function readBody(request: IncomingMessage, maxBytes: number, signal: EndSignal): Promise<Uint8Array | undefined> {
  const length = Number(request.headers['content-length']);
  if (length > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const body = collect(length);
    let size = 0;
    // The request object lives as long as its answer streams. The listeners are removed, because they hold the body.
    const stop = () => {
      request.off('data', onData).off('end', onEnd);
      signal.removeEventListener('abort', onAbort);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) {
        body.add(chunk, size - chunk.byteLength);
        // Node emits `end` a little later.
        if (size === length) onEnd();
        return;
      }
      stop();
      request.pause();
      resolve(undefined);
    };
    const onEnd = () => {
      stop();
      resolve(body.whole());
    };
    // A client that leaves ends the exchange.
    const onAbort = () => {
      stop();
      reject(new Error('The exchange was over before its request was read.'));
    };
    request.on('data', onData).on('end', onEnd);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/**
 * Returns a collector of the pieces of a body. A body whose length is known is collected in place: pieces that are
 * joined at the end need twice the memory.
 */
function collect(length: number): { add(piece: Buffer, at: number): void; whole(): Buffer } {
  const pieces: Buffer[] = [];
  let known: Buffer | undefined;
  return {
    add(piece, at) {
      if (Number.isNaN(length) || piece.byteLength === length) pieces.push(piece);
      else {
        known ??= Buffer.allocUnsafeSlow(length);
        piece.copy(known, at);
      }
    },
    whole: () => known ?? (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)),
  };
}

function nodeOutgoing(request: IncomingMessage, response: ServerResponse): Outgoing {
  return {
    trailers: request.httpVersionMajor === 1 && request.httpVersionMinor >= 1 && request.method !== 'HEAD',
    head(status, headers) {
      if (response.headersSent || response.destroyed) return;
      // The unread rest of a request would come before the next request on the same connection.
      response.writeHead(status, request.complete ? headers : { ...headers, connection: 'close' });
    },
    write(bytes) {
      if (response.destroyed || response.write(bytes)) return undefined;
      return untilDrained(response);
    },
    flush: () => flushResponse(response),
    end(trailers) {
      if (response.destroyed) return;
      if (trailers !== undefined) response.addTrailers(trailers);
      response.end();
    },
    abort: () => void response.destroy(),
  };
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
