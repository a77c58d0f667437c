import type { IncomingHttpHeaders } from 'node:http';
import { ModelError } from '../base/errors.ts';
import type { Meter } from '../base/model.ts';
import type { EndSignal } from './end-signal.ts';

/** Carries requests to servers. */
export interface HttpSender {
  /**
   * Resolves when the head of an answer is there, whatever its status. Throws `ModelError` when it was aborted or when
   * nothing came for too long, and an error with Node's code when the server could not be reached.
   */
  send(url: URL, options: SendOptions): Promise<HttpResponse>;
}

/** A client with connections of its own, which it keeps for the next request. */
export interface Http extends HttpSender {
  /**
   * Ends all connections, also those that are being opened. Resolves when no socket is left. Requests without a whole
   * response fail, and so do all later ones, with a `ModelError`: aborted. A second call does nothing more.
   */
  close(): Promise<void>;
}

export interface SendOptions {
  /** POST, unless it says otherwise; only a POST has a body. */
  readonly method?: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | readonly Uint8Array[];
  readonly idleTimeoutMs: number;
  readonly signal: EndSignal;
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

/** What is sent, in the pieces in which it was given. */
export function bodyPieces(body: SendOptions['body']): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body;
}

export function abortedError(): ModelError {
  return new ModelError('aborted', 'The request was interrupted.');
}

/** The client was closed. */
export function closedError(): ModelError {
  return new ModelError('aborted', 'The connections to the servers were closed.');
}

export function idleTimeoutError(): ModelError {
  return new ModelError('idle_timeout', 'idle timeout waiting for SSE', { retryable: true });
}

export function brokenError(cause: Error | undefined): ModelError {
  if (cause instanceof ModelError) return cause;
  const why = cause === undefined || cause.message === 'aborted' ? 'the connection was closed' : cause.message;
  return new ModelError('stream_broken', `stream disconnected before completion: ${why}`, { retryable: true, cause });
}
