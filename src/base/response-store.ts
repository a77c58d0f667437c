import type { Item } from './item.ts';

/** Responses that clients of a gateway may refer to later, kept for a while. */
export interface ResponseStore {
  put(id: string, entry: StoredResponse): Promise<void>;
  /** Returns undefined for a response that was never there or whose time is over. */
  get(id: string): Promise<StoredResponse | undefined>;
  /** Returns whether the response was there. */
  delete(id: string): Promise<boolean>;
}

export interface StoredResponse {
  /** The whole input that led to it, expanded. */
  readonly input: readonly Item[];
  readonly output: readonly Item[];
  /** The body as a client gets it. */
  readonly body: unknown;
}
