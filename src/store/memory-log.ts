import type { Log, LogLine } from '../base/log.ts';

/** The lines of a thread in memory. */
export interface MemoryLines {
  kept: KeptLine[];
  /** The ordinal of the next line. */
  next: number;
  /** When the last line was added, in milliseconds since 1970. */
  changedAt: number;
}

/** A line in memory. It is encoded when it is read: most lines never are. */
export type KeptLine =
  | { readonly line: LogLine; readonly ordinal: number; readonly time: number }
  /** A line that was copied from another thread. */
  | { readonly line: LogLine | undefined; readonly bytes: Buffer };

export interface MemoryLogOptions {
  readonly label: string;
  readonly lines: MemoryLines;
  now(): number;
  /** Whether lines are kept that the state does not need any more. Without it memory does not grow with the thread. */
  readonly keepAll: boolean;
  readonly lost: AbortSignal;
}

/** Returns a log that keeps its lines in memory. */
export function createMemoryLog({ label, lines, now, keepAll, lost }: MemoryLogOptions): Log {
  return {
    label,
    path: null,
    durable: false,
    pipelined: false,
    lost,
    async append(added) {
      lost.throwIfAborted();
      const time = now();
      for (const line of added) lines.kept.push({ line, ordinal: lines.next++, time });
      lines.changedAt = time;
      if (!keepAll && added.some(({ type }) => type === 'compacted')) lines.kept = neededLines(lines.kept);
    },
    rest() {},
    async close() {},
  };
}

/** Returns the log of a thread that is in no store: it is gone with its object. */
export function ephemeralLog(now: () => number): Log {
  const lines = { kept: [], next: 0, changedAt: 0 };
  return createMemoryLog({ label: 'memory', lines, now, keepAll: false, lost: new AbortController().signal });
}

/** Returns the lines that the state still needs: the first, the last context of a turn, and those from the last base on. */
function neededLines(kept: KeptLine[]): KeptLine[] {
  const base = kept.findLastIndex(({ line }, index) => isBase(kept[index - 1]?.line, line)) - 1;
  if (base <= 0) return kept;
  const context = kept.slice(0, base).findLast(({ line }) => line?.type === 'turn_context');
  return [...kept.slice(0, 1), ...(context ? [context] : []), ...kept.slice(base)];
}

/** Returns whether these two lines make everything before them unnecessary. */
function isBase(before: LogLine | undefined, line: LogLine | undefined): boolean {
  if (line?.type !== 'compacted' || !line.payload.replacement_history) return false;
  return before?.type === 'oxbow' && before.payload.kind === 'checkpoint';
}
