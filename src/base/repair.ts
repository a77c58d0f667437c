/** A correction of something broken that the model or its server sent: which, where, and what was there before. */
export interface Repair {
  /** Id from docs/wire-quirks.md such as A1 or B6, or a word for a repair that concerns no wire. */
  readonly id: string;
  /** The fault, in a few words. */
  readonly title: string;
  /** Number of the repaired frame in the response, from 1. Null if the repair concerns no frame. */
  readonly frame: number | null;
  /** Id of the repaired call. Null if the repair concerns no call. */
  readonly callId: string | null;
  /** The broken text and its replacement, both shortened. */
  readonly before: string;
  readonly after: string;
}
