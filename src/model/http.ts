import type { IncomingHttpHeaders } from 'node:http';
import { ModelError } from '../base/errors.ts';
import type { Meter } from '../base/model.ts';
import type { ClientCertificate } from '../base/provider.ts';
import type { EndSignal } from './end-signal.ts';

/** Sends requests to servers. */
export interface HttpSender {
  /**
   * Resolves when the head of an answer has come, whatever its status. Throws `ModelError` when the request was aborted
   * or nothing came for too long, and an error with Node's code when the server could not be reached.
   */
  send(url: URL, options: SendOptions): Promise<HttpResponse>;
}

/** A client with its own connections, which it keeps for later requests. */
export interface Http extends HttpSender {
  /**
   * Ends all connections, including those that are being opened. Resolves when no socket is left. Requests without a
   * whole response and all later requests fail with a `ModelError` (aborted). A second call has no further effect.
   */
  close(): Promise<void>;
}

export interface SendOptions {
  /** POST if it is not set. Only a POST has a body. */
  readonly method?: 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | readonly Uint8Array[];
  readonly idleTimeoutMs: number;
  readonly signal: EndSignal;
  /** Certificate that is shown to a server that speaks TLS. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Whether `read` returns the pieces of the body as they came, instead of all pieces so far as one. */
  readonly unjoined?: boolean;
  /** Counts the bytes of bodies that were sent and read. */
  readonly meter?: Meter | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Returns the next bytes of the body, or null at its end. Throws `ModelError`: aborted, idle_timeout or
   * stream_broken.
   */
  read(idleTimeoutMs: number): Promise<Uint8Array | null>;
  /**
   * Drops the rest of the body. The connection is kept for the next request if the rest is short, and closed otherwise.
   */
  release(): void;
  close(): void;
}

/** Returns a body as a list of pieces. */
export function bodyPieces(body: SendOptions['body']): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body;
}

export function abortedError(): ModelError {
  return new ModelError('aborted', 'The request was interrupted.');
}

/** Returns the error of requests to a closed client. */
export function closedError(): ModelError {
  return new ModelError('aborted', 'The connections to the servers were closed.');
}

export function idleTimeoutError(): ModelError {
  return new ModelError('idle_timeout', 'stream disconnected before completion: idle timeout waiting for SSE', {
    retryable: true,
  });
}

export function brokenError(cause: Error | undefined): ModelError {
  if (cause instanceof ModelError) return cause;
  const why = cause === undefined || cause.message === 'aborted' ? 'the connection was closed' : cause.message;
  return new ModelError('stream_broken', `stream disconnected before completion: ${why}`, { retryable: true, cause });
}
