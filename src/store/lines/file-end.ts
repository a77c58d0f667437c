import { fstatSync } from 'node:fs';
import { followingLines, MORE_BYTES } from '../../log/rollout-line.ts';
import { type LinePosition, linesBack, readAt } from './lines-back.ts';

/** The end of a file of lines. */
export interface FileEnd {
  /** Position of the next line, after the last complete group. */
  readonly end: number;
  /** Size of the file. Greater than `end` if a part of a line or group follows. */
  readonly size: number;
  /** Ordinal of the next line, or undefined in files whose lines have no ordinals. */
  readonly ordinal: number | undefined;
  /** Inode of the file, which tells it from another file in its place. */
  readonly ino: number;
}

/** Finds the end of a file, reading backwards. The last readable line determines the next ordinal. */
export function findEnd(fd: number, size: number): FileEnd {
  const found = { end: wholeEnd(fd, size), size, ino: fstatSync(fd).ino };
  let after = 0;
  for (const position of linesBack({ fd, from: 0, to: found.end })) {
    const ordinal = position.head ? position.head.ordinal : parsedOrdinal(fd, position);
    if (typeof ordinal === 'number') return { ...found, ordinal: ordinal + after + 1 };
    if (ordinal === undefined) return { ...found, ordinal: undefined };
    after++;
  }
  // No line is readable. The next ordinal must be greater than any ordinal that these lines may have.
  return { ...found, ordinal: after };
}

/** Much less than a block is enough to find the last line feed of most files. */
const TAIL_BYTES = 16 * 1024;

/** Returns the end of the last complete group. Lines of a group that its writer did not complete do not count. */
export function wholeEnd(fd: number, size: number): number {
  let before = 0;
  for (const position of linesBack({ fd, from: 0, to: size }, TAIL_BYTES)) {
    const following = followingAt(fd, position);
    if (following === 0 || (before > 0 && following !== before + 1)) return position.end;
    before = following;
  }
  return 0;
}

function followingAt(fd: number, { start, end }: LinePosition): number {
  const bytes = Buffer.allocUnsafe(Math.min(MORE_BYTES, end - 1 - start));
  readAt(fd, bytes, end - 1 - bytes.length, bytes.length);
  return followingLines(bytes);
}

/** Returns null if the line cannot be parsed. */
function parsedOrdinal(fd: number, { start, end }: LinePosition): number | null | undefined {
  const bytes = Buffer.allocUnsafe(end - start);
  readAt(fd, bytes, start, bytes.length);
  try {
    const { ordinal } = JSON.parse(bytes.toString('utf8')) as { ordinal?: unknown };
    return typeof ordinal === 'number' ? ordinal : undefined;
  } catch {
    return null;
  }
}
