import type { Item } from './item.ts';

/** A store that keeps responses for a limited time, so that clients of a gateway can refer to them. */
export interface ResponseStore {
  put(id: string, entry: StoredResponse): Promise<void>;
  /** Returns undefined for a response that was never stored or has expired. */
  get(id: string): Promise<StoredResponse | undefined>;
  /** Reports whether the response was stored. */
  delete(id: string): Promise<boolean>;
}

export interface StoredResponse {
  /** The whole input that led to the response, expanded. */
  readonly input: readonly Item[];
  readonly output: readonly Item[];
  /** The body as a client gets it. */
  readonly body: unknown;
}
