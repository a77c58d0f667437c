import type { Log, LogLine } from '../base/log.ts';

/** The lines of a thread in memory. */
export interface MemoryLines {
  kept: KeptLine[];
  /** Ordinal of the next line. */
  next: number;
  /** Time of the last line, in milliseconds since 1970. */
  changedAt: number;
}

/** A line in memory. */
export interface KeptLine {
  /** Undefined for a line that only other programs read. */
  readonly line: LogLine | undefined;
  readonly bytes: Buffer;
}

export interface MemoryLogOptions {
  readonly label: string;
  readonly lines: MemoryLines;
  now(): number;
  /** Encodes a line for readers. Throws for a line that cannot be kept. */
  encode(line: LogLine, ordinal: number, time: number): Buffer;
  /** Whether to keep lines that the state no longer needs. Without it, memory does not grow with the thread. */
  readonly keepAll: boolean;
  readonly lost: AbortSignal;
}

/** Returns a log that keeps its lines in memory. */
export function createMemoryLog({ label, lines, now, encode, keepAll, lost }: MemoryLogOptions): Log {
  return {
    label,
    path: null,
    durable: false,
    pipelined: false,
    lost,
    async append(added) {
      lost.throwIfAborted();
      const time = now();
      lines.kept.push(...added.map((line, index) => ({ line, bytes: encode(line, lines.next + index, time) })));
      lines.next += added.length;
      lines.changedAt = time;
      if (!keepAll && added.some(({ type }) => type === 'compacted')) lines.kept = neededLines(lines.kept);
    },
    rest() {},
    async close() {},
  };
}

/** Returns the log of a thread that is in no store. Its lines are gone with the object. */
export function ephemeralLog(now: () => number): Log {
  const lines = { kept: [], next: 0, changedAt: 0 };
  const { signal: lost } = new AbortController();
  // These lines are never read.
  return createMemoryLog({ label: 'memory', lines, now, encode: () => NO_BYTES, keepAll: false, lost });
}

const NO_BYTES = Buffer.alloc(0);

/**
 * Returns the lines that the state still needs: the first line, the last context of a turn, and everything from the
 * last base on.
 */
function neededLines(kept: KeptLine[]): KeptLine[] {
  const base = kept.findLastIndex(({ line }, index) => isBase(kept[index - 1]?.line, line)) - 1;
  if (base <= 0) return kept;
  const context = kept.slice(0, base).findLast(({ line }) => line?.type === 'turn_context');
  return [...kept.slice(0, 1), ...(context ? [context] : []), ...kept.slice(base)];
}

/** Reports whether these two lines make everything before them unnecessary. */
function isBase(before: LogLine | undefined, line: LogLine | undefined): boolean {
  if (line?.type !== 'compacted' || !line.payload.replacement_history) return false;
  return before?.type === 'oxbow' && before.payload.kind === 'checkpoint';
}
