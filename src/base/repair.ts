/** A correction of something broken that the model or its server sent: which, where, and what was there before. */
export interface Repair {
  /** As in docs/wire-quirks.md: A1, B6 … or a word for what is no matter of a wire. */
  readonly id: string;
  /** What was wrong, in a few words. */
  readonly title: string;
  /** The frame of the response at which it was made, counted from 1. Null where no frame is meant. */
  readonly frame: number | null;
  /** The call it concerns, if it concerns one. */
  readonly callId: string | null;
  /** What was there and what stands there now, both shortened. */
  readonly before: string;
  readonly after: string;
}
