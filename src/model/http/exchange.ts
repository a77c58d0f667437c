import { abortedError, brokenError, type HttpResponse, type SendOptions } from '../http.ts';
import type { BodyBuffer } from './body-buffer.ts';

export type HttpExchangeOptions = Pick<SendOptions, 'idleTimeoutMs' | 'signal' | 'unjoined' | 'meter'>;

/**
 * A request and its response on a connection. Holds nothing of the request once that is answered: it may be long, and the
 * response may stream for long.
 */
export interface HttpExchange extends HttpExchangeOptions {
  /** Of the request's body. */
  readonly size: number;
  readonly buffer: BodyBuffer;
  readonly answer: (response: HttpResponse | Promise<HttpResponse>) => void;
  readonly refuse: (error: unknown) => void;
  /** Sends the request over another connection. */
  again: (() => Promise<HttpResponse>) | undefined;
  onAbort: () => void;
  /** `over`: it has come to its end. `broken`: it will not. `left`: nobody wants the rest. */
  state: 'asked' | 'answered' | 'over' | 'broken' | 'left';
  /** Bytes that may still come after nobody wants them. */
  drainable: number;
  fault: Error | undefined;
  /** Who waits for the next bytes. */
  reading: Reading | undefined;
}

interface Reading {
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Gives what there is to whoever waits for it. */
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

/** Nothing more happens in it. */
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
