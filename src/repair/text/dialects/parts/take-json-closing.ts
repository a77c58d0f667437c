import type { Cursor } from '../../cursor.ts';
import { takeClosing } from './literals.ts';
import type { DialectReading } from './reading.ts';

/**
 * Reads the tag that closes a block after its JSON. If the JSON lacks brackets, its last text may go on after a
 * quotation mark that was not escaped; then a tag closes the block only if it does not look quoted.
 */
export function* takeJsonClosing(cursor: Cursor, literals: readonly string[]): DialectReading<boolean> {
  if (!(yield* takeClosing(cursor, literals))) return false;
  return cursor.jsonIsWhole || AFTER_BLOCK.test((yield* cursor.peek()) ?? ' ');
}

const AFTER_BLOCK = /[\s<\p{Lu}]/u;
