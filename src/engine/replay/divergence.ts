import type { LogLine } from '../../base/log.ts';

/** The first line at which a replay differs from the record. */
export interface Divergence {
  /** Number of the line in the file, from 1. */
  readonly line: number;
  /** A few words that continue "line 12". */
  readonly reason: string;
  /** The recorded line, or null if there is none. */
  readonly recorded: LogLine | null;
  /** The line that the replay wrote, or null if it wrote none. */
  readonly came: LogLine | null;
}

/** Error that stops a replay which differs from the record. */
export class Diverged extends Error {
  override readonly name = 'Diverged';
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(`line ${divergence.line} ${divergence.reason}`);
    this.divergence = divergence;
  }
}

/** Error that stops a replay at the end of a log whose process died in the middle of a turn. */
export class RecordEnd extends Error {
  override readonly name = 'RecordEnd';
}
