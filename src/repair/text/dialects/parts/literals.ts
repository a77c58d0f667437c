import { isSpace } from '../../../white-space.ts';
import type { Cursor } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';

/** Which of some literals, the longer before the shorter, stands here. Takes nothing; waits only until it can tell. */
export function* peekLiteral(cursor: Cursor, literals: readonly string[]): DialectReading<string | undefined> {
  while (!cursor.ended && literals.some((literal) => mayBecome(cursor.rest, literal))) yield;
  return literals.find((literal) => cursor.rest.startsWith(literal));
}

/** Takes the one of some literals that stands here after white space. Without one, the white space stays too. */
export function* takeAfterSpace(cursor: Cursor, literals: readonly string[]): DialectReading<string | undefined> {
  const found = yield* peekAfterSpace(cursor, literals);
  if (found === undefined) return undefined;
  yield* cursor.space();
  yield* cursor.take(found);
  return found;
}

/** Takes one of some closing literals after white space. The end of the text closes too, even inside of one. */
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

/** White space that is looked through again and again must be short. */
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
