import type { Connect } from './connect.ts';

/** A way to a server. */
export interface Way {
  readonly connect: Connect;
  /** A proxy that reads the requests and sends them on. Absent where connections lead to the server itself. */
  readonly relay?: Relay;
}

/** A proxy for requests that are not encrypted. */
export interface Relay {
  /** Returns the head of a request in the form for the proxy. */
  head(head: string): string;
  /** Returns the fault if a status is the proxy's own refusal. */
  refusal(status: number, challenge: string | undefined): Error | undefined;
}
