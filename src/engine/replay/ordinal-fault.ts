import { Diverged } from './divergence.ts';
import type { RecordedLine } from './recorded-line.ts';

/** The first line that does not follow the one before it, as they were counted when they were written. */
export function ordinalFault(lines: readonly RecordedLine[]): Diverged | undefined {
  for (const [index, recorded] of lines.entries()) {
    const before = lines[index - 1]?.ordinal ?? null;
    if (before === null || recorded.ordinal === null || recorded.ordinal === before + 1) continue;
    const { number, line, ordinal } = recorded;
    const reason = `does not follow the line before it: it was line ${ordinal + 1} when it was written, that one line ${before + 1}`;
    return new Diverged({ line: number, reason, recorded: line, came: null });
  }
  return undefined;
}
