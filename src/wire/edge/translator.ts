import type { ModelError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import type { Usage } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';

/** Turns the repaired frames of a server into the frames of a client, for one response. */
export interface Translator {
  push(frame: Frame, out: Frame[]): void;
  /** All frames of one read were pushed. */
  settle(out: Frame[]): void;
  /** The connection has ended, or broke. Adds to `out` what the client has not been told yet. */
  end(out: Frame[], broken: ModelError | undefined): void;
  /** Whether something was said that a status cannot take back. */
  readonly spoke: boolean;
  /** Nothing more is to come. */
  readonly over: boolean;
  /** The reason why the response failed, where it did. */
  readonly failure: ModelError | undefined;
  readonly usage: Usage | null;
  /** The response that came to its end, where it is to be kept. */
  readonly finished: FinishedResponse | undefined;
}

/** A whole response, as a store keeps it. */
export interface FinishedResponse {
  readonly id: string;
  readonly output: readonly Item[];
  /** The response as the client gets it. */
  readonly body: unknown;
}
