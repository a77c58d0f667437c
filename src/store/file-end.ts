import { linesBack, readAt } from './lines-back.ts';

/** How a file of lines ends. */
export interface FileEnd {
  /** Where the next line begins: behind the last whole one. */
  readonly end: number;
  /** More than that when half a line follows. */
  readonly size: number;
  /** What the next line is numbered with; undefined in files whose lines have no numbers. */
  readonly ordinal: number | undefined;
}

/** Finds it from the tail. The last line that can be understood says how lines are numbered. */
export function findEnd(fd: number, size: number): FileEnd {
  let end = 0;
  let after = 0;
  for (const place of linesBack({ fd, from: 0, to: size })) {
    end ||= place.end;
    const ordinal = place.head ? place.head.ordinal : parsedOrdinal(fd, place.start, place.end);
    if (typeof ordinal === 'number') return { end, size, ordinal: ordinal + after + 1 };
    if (ordinal === undefined) return { end, size, ordinal: undefined };
    after++;
  }
  // None can be understood: the first of ours must be greater than any of those could be.
  return { end, size, ordinal: after };
}

/** Null where the line cannot be understood. */
function parsedOrdinal(fd: number, start: number, end: number): number | null | undefined {
  const bytes = Buffer.allocUnsafe(end - start);
  readAt(fd, bytes, start, bytes.length);
  try {
    const { ordinal } = JSON.parse(bytes.toString('utf8')) as { ordinal?: unknown };
    return typeof ordinal === 'number' ? ordinal : undefined;
  } catch {
    return null;
  }
}
