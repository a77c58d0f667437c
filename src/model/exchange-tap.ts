import type { SendOptions } from './http.ts';

/** Sees every exchange with the server, failed attempts as well. It must not throw and must not keep bytes from being read. */
export interface ExchangeTap {
  /** A request is about to be sent. */
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
  /** A piece of the body as it came from the connection. */
  chunk(bytes: Uint8Array): void;
  /** Called once and last. The error is why the exchange ended too early: one of `END_ERRORS`, a code or words. */
  end(error?: string): void;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
