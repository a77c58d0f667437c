import type { ModelError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import type { Usage } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';

/** Converter from the repaired frames of a server to the frames of a client, for one response. */
export interface Translator {
  /** `broken`: why the connection broke, for the last frames, which a repair made of what there was. */
  push(frame: Frame, out: Frame[], broken?: ModelError): void;
  /** Called after all frames of one read were pushed. */
  settle(out: Frame[]): void;
  /** Called when the connection has ended or broken. Adds the frames to `out` that the client still needs. */
  end(out: Frame[], broken: ModelError | undefined): void;
  /** Whether a part of the answer was sent, so that an error status is no longer possible. */
  readonly spoke: boolean;
  /** Whether the response is over. */
  readonly over: boolean;
  /** Reason of the failure, if the response failed. */
  readonly failure: ModelError | undefined;
  readonly usage: Usage | null;
  /** Bytes of the answer that are kept until its end, roughly. Absent if only its last frames are kept. */
  readonly kept?: number;
  /** Complete response, if it is to be stored. */
  readonly finished: FinishedResponse | undefined;
}

/** A whole response in the form for a store. */
export interface FinishedResponse {
  readonly id: string;
  readonly output: readonly Item[];
  /** Response as the client gets it. */
  readonly body: unknown;
}
