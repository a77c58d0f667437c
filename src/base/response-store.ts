import type { Item } from './item.ts';

/** Responses that clients of a gateway may refer to later, kept for a while. */
export interface ResponseStore {
  put(id: string, entry: StoredResponse): void;
  /** Undefined when it was never there or its time is over. */
  get(id: string): StoredResponse | undefined;
  delete(id: string): boolean;
}

export interface StoredResponse {
  /** The whole input that led to it, expanded. */
  readonly input: readonly Item[];
  readonly output: readonly Item[];
  /** The body as a client gets it. */
  readonly body: unknown;
}
