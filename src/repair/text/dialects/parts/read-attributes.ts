import type { Cursor } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';
import { takeWord } from './take-word.ts';

const ATTRIBUTE = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/>]+))/g;

/** Reads the attributes of a tag and its closing bracket. Undefined if the text is not a tag. */
export function* readAttributes(cursor: Cursor): DialectReading<ReadonlyMap<string, string> | undefined> {
  const text = yield* takeWord(cursor, '<>');
  if (text === undefined || !(yield* cursor.take('>'))) return undefined;
  return new Map(
    Array.from(text.matchAll(ATTRIBUTE), ([, name = '', double, single, bare = '']) => [
      name,
      double ?? single ?? bare,
    ]),
  );
}
