/** What the header of a hunk in a unified diff says. */
export interface HunkHeader {
  /** The first old line, counted from 1. Where there are none: the line that follows the new ones. */
  readonly near: number;
  readonly oldCount: number;
  readonly newCount: number;
  /** The text after the numbers: mostly the line with which the function begins. */
  readonly context: string | undefined;
}

const HEADER = /^@@ +-(\d+)(?:,(\d+))? +\+(\d+)(?:,(\d+))? +@@(.*)$/;

/** Reads `@@ -1,3 +1,4 @@ text`; undefined where a line is none. */
export function readHunkHeader(line: string): HunkHeader | undefined {
  const match = HEADER.exec(line);
  if (match === null) return undefined;
  const [, oldStart, oldCount = '1', , newCount = '1', text = ''] = match;
  const isInsertion = Number(oldCount) === 0;
  return {
    near: Math.max(1, Number(oldStart) + (isInsertion ? 1 : 0)),
    oldCount: Number(oldCount),
    newCount: Number(newCount),
    context: text.trim() === '' ? undefined : text.trim(),
  };
}
