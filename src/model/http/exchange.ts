import { abortedError, brokenError, type HttpResponse, type SendOptions } from '../http.ts';
import type { BodyBuffer } from './body-buffer.ts';

export type HttpExchangeOptions = Pick<SendOptions, 'idleTimeoutMs' | 'signal' | 'unjoined' | 'meter'>;

/**
 * A request and its response on a connection. It drops the request as soon as the response begins: the request may be
 * long, and the response may stream for long.
 */
export interface HttpExchange extends HttpExchangeOptions {
  /** Size of the request's body. */
  readonly size: number;
  readonly buffer: BodyBuffer;
  readonly answer: (response: HttpResponse | Promise<HttpResponse>) => void;
  readonly refuse: (error: unknown) => void;
  /** Sends the request over another connection. */
  again: (() => Promise<HttpResponse>) | undefined;
  onAbort: () => void;
  /** `over`: the response has ended. `broken`: it will not end. `left`: the rest is no longer wanted. */
  state: 'asked' | 'answered' | 'over' | 'broken' | 'left';
  /** Number of bytes that may still come after the rest is no longer wanted. */
  drainable: number;
  fault: Error | undefined;
  /** The pending read. */
  reading: Reading | undefined;
}

interface Reading {
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles the pending read if there are bytes, an end or an error for it. */
export function wakeReader(exchange: HttpExchange): void {
  const { reading, buffer, signal, meter, state } = exchange;
  if (reading === undefined) return;
  const bytes = signal.aborted ? null : buffer.take();
  if (bytes === null && state === 'answered' && !signal.aborted) return;
  exchange.reading = undefined;
  if (signal.aborted) reading.reject(abortedError());
  else if (bytes === null && state !== 'over') reading.reject(brokenError(exchange.fault));
  else {
    if (bytes !== null && meter) meter.receivedBytes += bytes.byteLength;
    reading.resolve(bytes);
  }
}

/** Ends an exchange. */
export function finishExchange(exchange: HttpExchange, state: 'over' | 'broken'): void {
  if (exchange.state !== 'left' && exchange.state !== 'over') exchange.state = state;
  forgetSignal(exchange);
  wakeReader(exchange);
}

export function forgetSignal({ signal, onAbort }: HttpExchange): void {
  signal.removeEventListener('abort', onAbort);
}

export function countSent({ meter, size }: HttpExchange): void {
  if (meter) meter.sentBytes += size;
}
