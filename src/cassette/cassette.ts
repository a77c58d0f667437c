/** Exchanges with a model server, as they were recorded. */
export interface Cassette {
  /** ISO 8601. */
  readonly recordedAt: string;
  /** The version that recorded it. */
  readonly oxbow: string;
  /** In the order in which the requests were sent. Attempts that failed are exchanges of their own. */
  readonly exchanges: readonly RecordedExchange[];
}

export interface RecordedExchange {
  readonly request: ExchangeRequest;
  /** Null: there was no answer, and `error` says why. */
  readonly response: ExchangeResponse | null;
  /** The body of the response, in the pieces in which it came. */
  readonly chunks: readonly RecordedChunk[];
  /** Milliseconds from the request to the end. */
  readonly ms: number;
  /** Why it ended before its end: one of `END_ERRORS`, a code such as `ECONNREFUSED`, or words. Null: it came whole. */
  readonly error: string | null;
}

export interface ExchangeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: CassetteHeaders;
  /** The parsed JSON, or the text of a body that is none. */
  readonly body: unknown;
}

export interface ExchangeResponse {
  readonly status: number;
  readonly headers: CassetteHeaders;
}

export interface RecordedChunk {
  /** Milliseconds since the request was sent. */
  readonly ms: number;
  readonly bytes: Uint8Array;
}

/** Names in lower case. */
export type CassetteHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Why an exchange ended too early, in the words that a replay understands. */
export const END_ERRORS = {
  /** The server closed the connection in the middle of the body. */
  closed: 'connection closed',
  /** The server said nothing for too long. */
  idle: 'idle timeout',
  /** We did not want more. */
  interrupted: 'interrupted',
  /** The file has no end of this exchange: the recording process died. */
  unfinished: 'recording stopped',
} as const;

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

export const CASSETTE_VERSION = 1;

/** One line of the file. Chunks have `base64` where their bytes alone are no UTF-8, as when a character was cut. */
export type CassetteLine =
  | { readonly cassette: typeof CASSETTE_VERSION; readonly recorded_at: string; readonly oxbow: string }
  | ({ readonly type: 'request'; readonly n: number } & ExchangeRequest)
  | ({ readonly type: 'response'; readonly n: number } & ExchangeResponse)
  | { readonly type: 'chunk'; readonly n: number; readonly ms: number; readonly text: string }
  | { readonly type: 'chunk'; readonly n: number; readonly ms: number; readonly base64: string }
  | { readonly type: 'end'; readonly n: number; readonly ms: number; readonly error?: string };
