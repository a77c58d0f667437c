import { readFinish } from '../chat/read-finish.ts';
import type { RepairReporter } from '../report.ts';

/** End of an answer. */
export interface ReadDone {
  /** Word of this wire; undefined if the line needs none. */
  readonly reason: unknown;
  /** Word of the chat wire, whose repair decides. */
  readonly finish: string;
}

/** Reads a `done_reason` (A7). A line without one is as good as `stop`, and so is `stop` after calls. */
export function readDone(reason: unknown, hasCalls: boolean, reporter: RepairReporter): ReadDone {
  const stop = hasCalls ? 'tool_calls' : 'stop';
  if (reason === 'length' || reason === 'content_filter') return { reason, finish: reason };
  const read = readFinish(reason);
  if (read === undefined || OWN.has(read.said)) return { reason, finish: stop };
  // The repair makes an error of these, unless it takes them for its own word.
  if (read.signal === 'error') return { reason, finish: `finish_reason:${read.said}` };
  if (read.signal === 'refused') return { reason, finish: read.said };
  const known = DONE_REASONS.get(read.word) ?? read.word;
  reporter.report('A7', { before: reason, after: known });
  return { reason: known, finish: read.signal === 'cut' ? read.word : stop };
}

/** Reasons for the finish signals of the chat wire. */
export const DONE_REASONS: ReadonlyMap<string, string> = new Map([['tool_calls', 'stop']]);

const OWN: ReadonlySet<string> = new Set(['stop', 'load', 'unload']);
