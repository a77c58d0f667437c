import type { LogLine } from '../../base/log.ts';

/** The first line at which the replay is not what was recorded. */
export interface Divergence {
  /** In the file, from 1. */
  readonly line: number;
  /** In a few words, to be read after "line 12". */
  readonly reason: string;
  /** What stands there; null where nothing does. */
  readonly recorded: LogLine | null;
  /** What the replay wrote; null when it wrote nothing. */
  readonly came: LogLine | null;
}

/** Stops a replay that is not what was recorded. */
export class Diverged extends Error {
  override readonly name = 'Diverged';
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(`line ${divergence.line} ${divergence.reason}`);
    this.divergence = divergence;
  }
}

/** Stops a replay where the log ends in the middle of a turn: its process died there. */
export class RecordEnd extends Error {
  override readonly name = 'RecordEnd';
}
