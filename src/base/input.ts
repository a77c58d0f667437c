import type { ContentPart } from './item.ts';

/** Input of a user: a text, or texts and images. */
export type Input = string | readonly InputPart[];

/** A part of an input. */
export type InputPart =
  | { readonly type: 'text'; readonly text: string }
  /**
   * Image file on this machine. `optional`: whether the turn goes on if the file cannot be sent. The model reads that
   * the image is missing, and a warning says why.
   */
  | { readonly type: 'local_image'; readonly path: string; readonly optional?: boolean }
  /** Data URL, or an address that the model's server can reach. */
  | { readonly type: 'image'; readonly url: string };

/** Input that waits for a request. */
export interface QueuedInput {
  readonly id: string;
  readonly content: readonly ContentPart[];
}
