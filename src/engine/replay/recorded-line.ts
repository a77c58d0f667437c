import type { LogLine } from '../../base/log.ts';

/** A line of a thread's log, with its position. */
export interface RecordedLine {
  /** Number of the line in the file, from 1. */
  readonly number: number;
  /** Ordinal that its writer recorded, or null. */
  readonly ordinal: number | null;
  readonly line: LogLine;
}

/** A log that can be read any number of times. */
export type RecordedLog = () => AsyncIterable<RecordedLine>;
