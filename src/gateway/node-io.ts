import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Incoming, Outgoing } from './client-io.ts';

/** A request and its answer as `node:http` has them. */
export function nodeIo(
  request: IncomingMessage,
  response: ServerResponse,
): { readonly incoming: Incoming; readonly outgoing: Outgoing } {
  const incoming = nodeIncoming(request);
  response.once('close', () => {
    if (response.writableFinished) return;
    incoming.left = true;
    incoming.leave();
  });
  // A connection that breaks tells it by closing; the error itself says nothing more.
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
    readBody: (maxBytes) => readBody(request, maxBytes),
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

function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // The request lives as long as its answer streams; its body, which listeners hold, must not.
    const stop = () => request.off('data', onData).off('end', onEnd).off('close', onClose);
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      stop();
      request.pause();
      resolve(undefined);
    };
    const onEnd = () => {
      stop();
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    };
    const onClose = () => {
      stop();
      reject(new Error('The client left before its request was whole.'));
    };
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

function nodeOutgoing(request: IncomingMessage, response: ServerResponse): Outgoing {
  return {
    trailers: request.httpVersionMajor === 1 && request.httpVersionMinor >= 1 && request.method !== 'HEAD',
    head(status, headers) {
      if (response.headersSent || response.destroyed) return;
      // A request that was not read to its end would stand before the next one on the same connection.
      response.writeHead(status, request.complete ? headers : { ...headers, connection: 'close' });
    },
    write(bytes) {
      if (response.destroyed || response.write(bytes)) return undefined;
      return untilDrained(response);
    },
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
