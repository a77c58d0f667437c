/** The part of `fetch` that requests need. The global `fetch` fits, and so does that of a library. */
export type FetchLike = (url: string, init: FetchLikeInit) => Promise<FetchLikeResponse>;

/** A request that is sent. */
export interface FetchLikeInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  /** Body of a POST. */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Redirects are not followed: they could send the key to another host. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** A response whose body is read as it arrives. */
export interface FetchLikeResponse {
  readonly status: number;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  readonly body: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
}
