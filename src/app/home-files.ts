import type { ThreadStore } from '../base/thread-store.ts';
import type { KnownWires } from '../store/files/known-wires.ts';
import type { SeenLimitsFile } from '../store/files/seen-limits.ts';

/** Parts of an agent that stand for files of its home. */
export interface HomeFiles {
  readonly knownWires: KnownWires;
  /** Keeps the limits that servers report. */
  readonly seenLimits: SeenLimitsFile;
  readonly store: ThreadStore;
}
