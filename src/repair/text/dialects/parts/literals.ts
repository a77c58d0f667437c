import { isSpace } from '../../../white-space.ts';
import type { Cursor } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';

/** Returns the literal that comes next, without reading it. Longer literals must stand before shorter ones. */
export function* peekLiteral(cursor: Cursor, literals: readonly string[]): DialectReading<string | undefined> {
  while (!cursor.ended && literals.some((literal) => mayBecome(cursor.rest, literal))) yield;
  return literals.find((literal) => cursor.rest.startsWith(literal));
}

/** Reads the literal that comes next after white space. Without one, the white space is not read either. */
export function* takeAfterSpace(cursor: Cursor, literals: readonly string[]): DialectReading<string | undefined> {
  const found = yield* peekAfterSpace(cursor, literals);
  if (found === undefined) return undefined;
  yield* cursor.space();
  yield* cursor.take(found);
  return found;
}

/** Reads a closing literal after white space. The end of the text closes too, even in the middle of a literal. */
export function* takeClosing(cursor: Cursor, literals: readonly string[]): DialectReading<boolean> {
  if ((yield* takeAfterSpace(cursor, literals)) !== undefined) return true;
  if (!cursor.ended) return false;
  const rest = cursor.rest.trim();
  if (!literals.some((literal) => literal.startsWith(rest))) return false;
  yield* cursor.while(() => true);
  return true;
}

function* peekAfterSpace(cursor: Cursor, literals: readonly string[]): DialectReading<string | undefined> {
  for (;;) {
    const ahead = afterSpace(cursor.rest);
    if (ahead === undefined) return undefined;
    if (cursor.ended || !literals.some((literal) => mayBecome(ahead, literal))) {
      return literals.find((literal) => ahead.startsWith(literal));
    }
    yield;
  }
}

/** The most white space that is skipped, since it may be skipped many times. */
const MOST_SPACE = 200;

function afterSpace(text: string): string | undefined {
  let at = 0;
  while (at < text.length && isSpace(text.charCodeAt(at))) {
    if (++at > MOST_SPACE) return undefined;
  }
  return text.slice(at);
}

function mayBecome(text: string, literal: string): boolean {
  return literal.length > text.length && literal.startsWith(text);
}
