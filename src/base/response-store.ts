import type { Item } from './item.ts';

/** A store that keeps responses for a limited time, so that clients of a gateway can refer to them. */
export interface ResponseStore {
  put(id: string, entry: StoredResponse): Promise<void>;
  /** Returns undefined for a response that was never stored or has expired. */
  get(id: string): Promise<StoredResponse | undefined>;
  /** Returns the item with an id in the output of a stored response; undefined if there is none, or more than one. */
  find(itemId: string): Promise<StoredItem | undefined>;
  /** Reports whether the response was stored. */
  delete(id: string): Promise<boolean>;
}

export interface StoredResponse {
  /** The whole input that led to the response, expanded. */
  readonly input: readonly Item[];
  readonly output: readonly Item[];
  /** The body as a client gets it. */
  readonly body: unknown;
  /** Id of the provider whose server has stored the response too. Absent if only this store has it. */
  readonly keptBy?: string | undefined;
}

/** An item of a stored response. */
export interface StoredItem extends Pick<StoredResponse, 'keptBy'> {
  readonly item: Item;
}
