import { isSpace } from '../../../white-space.ts';
import type { Cursor } from '../../cursor.ts';
import { declaredName } from './declared-name.ts';
import type { DialectReading, Tools } from './reading.ts';

/** First keys of calls in JSON. */
const KEYS = ['name', 'function', 'type', 'id', 'arguments', 'parameters'];
const TYPES = ['function', 'function_call', 'tool_call'];

/** The most characters that are looked ahead. */
const MOST = 400;

/**
 * Reports whether the JSON that begins here may be a call, or a list of calls, of declared tools. Reads nothing, and
 * decides at the first character that no such call has, so that an answer in JSON is not held back.
 */
export function* mayBeCall(cursor: Cursor, tools: Tools): DialectReading<boolean> {
  let at = yield* skipSpace(cursor, 0);
  if ((yield* charAt(cursor, at)) === '[') at = yield* skipSpace(cursor, at + 1);
  if ((yield* charAt(cursor, at)) !== '{') return false;
  at = yield* skipSpace(cursor, at + 1);
  const key = yield* quoted(cursor, at, (text) => KEYS.some((known) => known.startsWith(text)));
  if (key === undefined || !KEYS.includes(key)) return false;
  at = yield* skipSpace(cursor, at + key.length + 2);
  if ((yield* charAt(cursor, at)) !== ':') return false;
  at = yield* skipSpace(cursor, at + 1);
  return yield* valueFits(key, cursor, at, tools);
}

/**
 * Reports whether a JSON object, or a list of objects or texts, begins here. Keys may lack their quotes. Reads nothing.
 */
export function* startsJson(cursor: Cursor): DialectReading<boolean> {
  const first = yield* charAt(cursor, 0);
  if (first !== '{' && first !== '[') return false;
  const second = yield* charAt(cursor, yield* skipSpace(cursor, 1));
  return (first === '{' ? OBJECT_GOES_ON : LIST_GOES_ON).test(second);
}

const OBJECT_GOES_ON = /["'\w}]/;
const LIST_GOES_ON = /["{]/;

function* valueFits(key: string, cursor: Cursor, at: number, tools: Tools): DialectReading<boolean> {
  switch (key) {
    case 'name':
      return declaredName(yield* quoted(cursor, at), tools) !== undefined;
    case 'type': {
      const type = yield* quoted(cursor, at, (text) => TYPES.some((known) => known.startsWith(text)));
      return type !== undefined && TYPES.includes(type);
    }
    case 'function':
      return (yield* charAt(cursor, at)) === '{';
    default:
      return true;
  }
}

function* quoted(cursor: Cursor, from: number, fits?: (text: string) => boolean): DialectReading<string | undefined> {
  if ((yield* charAt(cursor, from)) !== '"') return undefined;
  for (let end = from + 1; end < MOST; end++) {
    const char = yield* charAt(cursor, end);
    if (char === '') return undefined;
    const text = cursor.rest.slice(from + 1, end);
    if (char === '"') return text;
    if (fits !== undefined && !fits(text + char)) return undefined;
  }
  return undefined;
}

function* skipSpace(cursor: Cursor, from: number): DialectReading<number> {
  for (let at = from; at < MOST; at++) {
    const char = yield* charAt(cursor, at);
    if (char === '' || !isSpace(char.charCodeAt(0))) return at;
  }
  return MOST;
}

/** Returns a character ahead; empty at the end of the text. */
function* charAt(cursor: Cursor, index: number): DialectReading<string> {
  while (cursor.rest.length <= index && !cursor.ended) yield;
  return cursor.rest[index] ?? '';
}
