import type { IncomingMessage, ServerResponse } from 'node:http';
import { untilDrained } from '../../base/until-drained.ts';
import type { EndSignal } from '../../model/end-signal.ts';
import { flushResponse } from '../../node-internals/flush-response.ts';
import { createBodyCollector } from './body-collector.ts';
import type { Incoming, Outgoing } from './client-io.ts';
import { splitTarget } from './split-target.ts';

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
    ...splitTarget(request.url ?? '/'),
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

function readBody(request: IncomingMessage, maxBytes: number, signal: EndSignal): Promise<Uint8Array | undefined> {
  const length = Number(request.headers['content-length']);
  if (length > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const body = createBodyCollector(length);
    let size = 0;
    // The request object lives as long as its answer streams. The listeners are removed, because they hold the body.
    const stop = () => {
      request.off('data', onData).off('end', onEnd);
      signal.removeEventListener('abort', onAbort);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) {
        body.add(chunk);
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
