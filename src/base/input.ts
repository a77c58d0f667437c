import type { ContentPart } from './item.ts';

/** What a user gives a thread: a text, or texts and images. */
export type Input = string | readonly InputPart[];

export type InputPart =
  | { readonly type: 'text'; readonly text: string }
  /** A file on this machine. */
  | { readonly type: 'local_image'; readonly path: string }
  /** A data URL, or an address that the model's server can reach. */
  | { readonly type: 'image'; readonly url: string };

/** Input that waits for a request to go with. */
export interface QueuedInput {
  readonly id: string;
  readonly content: readonly ContentPart[];
}
