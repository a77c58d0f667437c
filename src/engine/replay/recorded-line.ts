import type { LogLine } from '../../base/log.ts';

/** A line of a thread's log with its place there. */
export interface RecordedLine {
  /** In the file, from 1. */
  readonly number: number;
  /** The count that its writer gave it; null where it gave none. */
  readonly ordinal: number | null;
  readonly line: LogLine;
}

/** A log that can be read as often as needed. */
export type RecordedLog = () => AsyncIterable<RecordedLine>;
