import type { Cursor, TagPattern } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';

/**
 * Reads on to the end of a block that has begun and cannot be read, nested blocks included. Without an end, the block
 * takes all of the text that follows.
 */
export function* passBlock(
  cursor: Cursor,
  pattern: TagPattern,
  close: readonly string[],
  from = 0,
): DialectReading<undefined> {
  if (!cursor.begun) return undefined;
  cursor.reject();
  let depth = Math.max(0, depthOf(cursor.text.slice(from, cursor.position), pattern, close));
  for (;;) {
    const { tag } = yield* cursor.untilTag(pattern);
    if (tag === '') return undefined;
    if (!close.includes(tag)) depth++;
    else if (depth-- <= 0) break;
  }
  cursor.endBlock();
  return undefined;
}

function depthOf(text: string, { tags }: TagPattern, close: readonly string[]): number {
  let depth = 0;
  for (const [tag] of text.matchAll(tags)) depth += close.includes(tag) ? -1 : 1;
  return depth;
}
