/** Recorded exchanges with a model server. */
export interface Cassette {
  /** ISO 8601. */
  readonly recordedAt: string;
  /** Version of Oxbow that made the recording. */
  readonly oxbow: string;
  /** In the order in which the requests were sent. Each failed attempt is an exchange of its own. */
  readonly exchanges: readonly RecordedExchange[];
}

/** A request and its response. */
export interface RecordedExchange {
  readonly request: ExchangeRequest;
  /** Null if there was no answer. `error` then says why. */
  readonly response: ExchangeResponse | null;
  /** Body of the response, in the pieces in which it came. */
  readonly chunks: readonly RecordedChunk[];
  /** Milliseconds from the request to the end. */
  readonly ms: number;
  /**
   * Reason for an early end: one of `END_ERRORS`, a code such as `ECONNREFUSED`, or a text. Null if the response is
   * complete.
   */
  readonly error: string | null;
}

/** A recorded request. */
export interface ExchangeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: CassetteHeaders;
  /** Parsed JSON, or the text of a body that is not JSON. */
  readonly body: unknown;
}

/** A recorded response. */
export interface ExchangeResponse {
  readonly status: number;
  readonly headers: CassetteHeaders;
}

/** Bytes of a body that arrived together. */
export interface RecordedChunk {
  /** Milliseconds since the request was sent. */
  readonly ms: number;
  readonly bytes: Uint8Array;
}

/** Headers by name, in lower case. */
export type CassetteHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Reasons for an early end that a replay understands. */
export const END_ERRORS = {
  /** The server closed the connection in the middle of the body. */
  closed: 'connection closed',
  /** The server was silent for too long. */
  idle: 'idle timeout',
  /** The client stopped reading. */
  interrupted: 'interrupted',
  /** The file has no end of this exchange: the recording process died. */
  unfinished: 'recording stopped',
} as const;

/** Text that replaces a secret. */
export const REDACTED = '[redacted]';

/** Version of new files. Version 1 has no parts. */
export const CASSETTE_VERSION = 2;

/**
 * One line of the file. A chunk has `base64` if its bytes alone are not UTF-8, for instance because a character was
 * cut. In the body of a request, `{"$part": id}` stands for the value of an earlier part.
 */
export type CassetteLine =
  | { readonly cassette: typeof CASSETTE_VERSION; readonly recorded_at: string; readonly oxbow: string }
  | { readonly type: 'part'; readonly id: number; readonly value: unknown }
  | ({ readonly type: 'request'; readonly n: number } & ExchangeRequest)
  | ({ readonly type: 'response'; readonly n: number } & ExchangeResponse)
  | { readonly type: 'chunk'; readonly n: number; readonly ms: number; readonly text: string }
  | { readonly type: 'chunk'; readonly n: number; readonly ms: number; readonly base64: string }
  | { readonly type: 'end'; readonly n: number; readonly ms: number; readonly error?: string };
