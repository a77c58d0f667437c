import { ModelError } from '../base/errors.ts';
import type { FetchLike, FetchLikeInit, FetchLikeResponse } from '../base/fetch-like.ts';
import {
  abortedError,
  bodyPieces,
  brokenError,
  type HttpResponse,
  type HttpSender,
  idleTimeoutError,
  type SendOptions,
} from './http.ts';
import { clampTimer } from './idle-timer.ts';

/** Returns a client that sends requests with a `fetch` function of the user. That function manages the connections. */
export function createFetchHttp(carry: FetchLike): HttpSender {
  return {
    async send(url, options) {
      const { signal, idleTimeoutMs } = options;
      if (signal.aborted) throw abortedError();
      const stop = new AbortController();
      const onAbort = () => stop.abort(abortedError());
      signal.addEventListener('abort', onAbort);
      try {
        const response = await within(idleTimeoutMs, stop, carry(url.href, initOf(options, stop.signal)));
        if (options.meter) options.meter.sentBytes += sizeOf(options);
        return responseOf(response, options, stop, () => signal.removeEventListener('abort', onAbort));
      } catch (error) {
        signal.removeEventListener('abort', onAbort);
        throw stop.signal.aborted ? stop.signal.reason : connectionError(error);
      }
    },
  };
}

function initOf({ method, headers, body }: SendOptions, signal: AbortSignal): FetchLikeInit {
  const shared = { headers: { ...headers }, redirect: 'manual', signal } as const;
  if (method === 'GET') return { method, ...shared };
  return { method: 'POST', body: Buffer.concat(bodyPieces(body)), ...shared };
}

function sizeOf({ method, body }: SendOptions): number {
  if (method === 'GET') return 0;
  return bodyPieces(body).reduce((size, piece) => size + piece.byteLength, 0);
}

function responseOf(
  { status, headers, body }: FetchLikeResponse,
  { meter }: SendOptions,
  stop: AbortController,
  forget: () => void,
): HttpResponse {
  const found: Record<string, string> = {};
  headers.forEach((value, name) => {
    found[name.toLowerCase()] = value;
  });
  // The function has decoded the body, and leaves the header.
  delete found['content-encoding'];
  const reader = body?.getReader();
  const end = () => {
    forget();
    reader?.cancel().catch(() => {});
  };
  return {
    status,
    headers: found,
    async read(idleTimeoutMs) {
      if (stop.signal.aborted) throw stop.signal.reason;
      if (!reader) return null;
      try {
        const { done, value } = await within(idleTimeoutMs, stop, reader.read());
        if (done || value === undefined) {
          forget();
          return null;
        }
        if (meter) meter.receivedBytes += value.byteLength;
        return value;
      } catch (error) {
        end();
        throw stop.signal.aborted ? stop.signal.reason : brokenError(error instanceof Error ? error : undefined);
      }
    },
    release: end,
    close: end,
  };
}

/** Waits for work. Aborts everything when the work takes too long, or when the request is interrupted. */
async function within<T>(ms: number, stop: AbortController, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => stop.abort(idleTimeoutError()), clampTimer(ms));
  let leave = () => {};
  const stopped = new Promise<never>((_, reject) => {
    leave = () => reject(stop.signal.reason);
    stop.signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    clearTimeout(timer);
    stop.signal.removeEventListener('abort', leave);
    // The work may fail after the wait is over.
    work.catch(() => {});
  }
}

/** Returns the error of the connection, which Node's `fetch` hides behind an error of its own. */
function connectionError(error: unknown): unknown {
  if (error instanceof ModelError || !(error instanceof Error)) return error;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? cause : error;
}
