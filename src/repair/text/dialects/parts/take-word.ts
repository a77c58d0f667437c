import type { Cursor } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';

/** Longer than any name; a marker in prose is found out before that. */
const MOST = 160;

/** Takes a short text, a name for example, up to one of the characters of `stop`. Undefined if it is too long. */
export function* takeWord(cursor: Cursor, stop: string): DialectReading<string | undefined> {
  let left = MOST;
  const word = yield* cursor.while((code) => !stop.includes(String.fromCharCode(code)) && left-- > 0);
  return left < 0 ? undefined : word.trim();
}
