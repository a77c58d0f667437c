import type { EndSignal } from '../../model/end-signal.ts';

/** A request of a client, whatever server took it. */
export interface Incoming {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** Names in lower case. */
  header(name: string): string | undefined;
  /** All of the body; undefined when it is longer than that. Throws when the exchange ends meanwhile. */
  readBody(maxBytes: number, signal: EndSignal): Promise<Uint8Array | undefined>;
  /** Whether the client left before its answer had ended. */
  readonly left: boolean;
  /** What to do when it leaves; the last who says so counts. */
  onLeft(listener: () => void): void;
}

/** The answer to a client. After the client has left nothing happens any more. */
export interface Outgoing {
  /** Whether fields may follow the body. */
  readonly trailers: boolean;
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Undefined: the client keeps up. Else it resolves when there is room again, or nobody to write to. */
  write(bytes: string | Uint8Array): Promise<void> | undefined;
  /** Sends what was written now, and not when everything of this moment was. */
  flush(): void;
  end(trailers?: Readonly<Record<string, string>>): void;
  /** Breaks the answer off, so that the client cannot take it for whole. */
  abort(): void;
}
