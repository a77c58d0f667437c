import { followingLines, MORE_BYTES } from '../../log/rollout-line.ts';
import { type LinePosition, linesBack, readAt } from './lines-back.ts';

/** The end of a file of lines. */
export interface FileEnd {
  /** Where the next line begins: behind the last whole group. */
  readonly end: number;
  /** The size of the file: more than that where half a line or half a group follows. */
  readonly size: number;
  /** The ordinal of the next line; undefined in files whose lines have none. */
  readonly ordinal: number | undefined;
}

/** Finds the end of a file from its tail. The last line that can be understood says how lines are numbered. */
export function findEnd(fd: number, size: number): FileEnd {
  const end = wholeEnd(fd, size);
  let after = 0;
  for (const position of linesBack({ fd, from: 0, to: end })) {
    const ordinal = position.head ? position.head.ordinal : parsedOrdinal(fd, position);
    if (typeof ordinal === 'number') return { end, size, ordinal: ordinal + after + 1 };
    if (ordinal === undefined) return { end, size, ordinal: undefined };
    after++;
  }
  // No line can be understood: the first of ours must be greater than any of those could be.
  return { end, size, ordinal: after };
}

/** Much less than a block is enough to find the last line feed of most files. */
const TAIL_BYTES = 16 * 1024;

/** Returns where the last whole group ends. Lines that a writer added before it died in the middle of a group do not count. */
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

/** Returns null where the line cannot be understood. */
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
