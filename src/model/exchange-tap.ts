import type { SendOptions } from './http.ts';

/**
 * Watches every exchange with the server, including failed attempts. It must not throw, and must not keep bytes from
 * being read.
 */
export interface ExchangeTap {
  /** Called when a request is about to be sent. */
  request(sent: SentRequest): TappedExchange;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SendOptions['body'];
}

export interface TappedExchange {
  /** Not called when there is no answer. */
  response(head: ResponseHead): void;
  /** Called with a piece of the body as it came from the connection. */
  chunk(bytes: Uint8Array): void;
  /** Called once and last. The error is the reason of an early end: one of `END_ERRORS`, a code, or words. */
  end(error?: string): void;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
