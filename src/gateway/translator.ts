import type { ModelError } from '../base/errors.ts';
import type { Item } from '../base/item.ts';
import type { Usage } from '../base/usage.ts';
import type { Frame } from '../base/wire.ts';

/** Turns the mended frames of a server into the frames of a client, for one response. */
export interface Translator {
  push(frame: Frame, out: Frame[]): void;
  /** All frames of one read were pushed. */
  settle(out: Frame[]): void;
  /** The connection has ended, or broke. Whatever the client still has to be told is in `out` then. */
  end(out: Frame[], broken: ModelError | undefined): void;
  /** Whether something was said that a status cannot take back. */
  readonly spoke: boolean;
  /** Nothing more is to come. */
  readonly over: boolean;
  /** Why the response failed, where it did. */
  readonly failure: ModelError | undefined;
  readonly usage: Usage | null;
  /** What a store keeps of a response that came to its end. */
  readonly outcome: Outcome | undefined;
}

export interface Outcome {
  readonly id: string;
  readonly output: readonly Item[];
  /** The response as the client gets it. */
  readonly body: unknown;
}
