import type { EndSignal } from '../../model/end-signal.ts';

/** A request of a client, independent of the kind of server that received it. */
export interface Incoming {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** Returns the value of a header. `name` is in lower case. */
  header(name: string): string | undefined;
  /**
   * Returns the whole body, at once if it is there; undefined when it is longer than `maxBytes`. Throws when the exchange
   * ends meanwhile.
   */
  readBody(maxBytes: number, signal: EndSignal): WholeBody | Promise<WholeBody>;
  /** Whether the client left before the end of its answer. */
  readonly left: boolean;
  /** Sets the function to call when the client leaves. It replaces the one that was set before. */
  onLeft(listener: () => void): void;
}

type WholeBody = Uint8Array | undefined;

/** The answer to a client. Calls have no effect after the client has left. */
export interface Outgoing {
  /** Whether fields may follow the body. */
  readonly trailers: boolean;
  /** The headers must not change later. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Returns undefined while the client keeps up. Otherwise the promise resolves when there is room again, or when the
   * client has left.
   */
  write(bytes: string | Uint8Array): Promise<void> | undefined;
  /** Sends the text that was written. Without a flush it is sent with the end of the answer. */
  flush(): void;
  end(trailers?: Readonly<Record<string, string>>): void;
  /** Breaks the answer off, so that the client cannot mistake it for a whole one. */
  abort(): void;
}
