import type { Cursor } from '../../cursor.ts';
import type { DialectReading } from './reading.ts';

/** Longer than any name, and short enough to detect a marker in prose early. */
const MOST = 160;

/** Reads a short text, such as a name, up to one of the characters of `stop`. Undefined if the text is too long. */
export function* takeWord(cursor: Cursor, stop: string): DialectReading<string | undefined> {
  let left = MOST;
  const word = yield* cursor.while((code) => !stop.includes(String.fromCharCode(code)) && left-- > 0);
  return left < 0 ? undefined : word.trim();
}
