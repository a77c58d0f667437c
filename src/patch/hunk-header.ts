/** The header of a hunk in a unified diff. */
export interface HunkHeader {
  /** First old line, counted from 1. Without old lines, the line that follows the new ones. */
  readonly near: number;
  readonly oldCount: number;
  readonly newCount: number;
  /** Text after the numbers: usually the first line of the function. */
  readonly context: string | undefined;
}

const HEADER = /^@@ +-(\d+)(?:,(\d+))? +\+(\d+)(?:,(\d+))? +@@(.*)$/;

/** Reads `@@ -1,3 +1,4 @@ text`; undefined if the line is not a header. */
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
