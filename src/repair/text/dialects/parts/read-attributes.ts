import type { Cursor } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';
import { takeWord } from './take-word.ts';

const ATTRIBUTE = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/>]+))/g;

/** Takes the attributes of a tag and the bracket that ends it. Undefined if it is no tag. */
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
