import { MAX_DEPTH } from '../../../limits.ts';
import { objectText } from './parameter-text.ts';

/** The arguments of a call in Python, `city="SF", days=3`, as a JSON object. Undefined if they are none. */
export function pythonArguments(text: string): string | undefined {
  const place: Place = { text, at: 0, depth: 0 };
  const members = readList(place, undefined, readArgument);
  return members === undefined ? undefined : objectText(members);
}

interface Place {
  readonly text: string;
  at: number;
  depth: number;
}

type Member = readonly [key: string, value: string];

function readArgument(place: Place): Member | undefined {
  const key = match(place, /\w+/y);
  if (key === undefined || !takeMark(place, '=')) return undefined;
  const value = readValue(place);
  return value === undefined ? undefined : [key, value];
}

function readEntry(place: Place): Member | undefined {
  const key = readValue(place);
  if (!key?.startsWith('"') || !takeMark(place, ':')) return undefined;
  const value = readValue(place);
  return value === undefined ? undefined : [JSON.parse(key), value];
}

/** The parts up to a closing bracket, or up to the end of the text if there is none to come. */
function readList<T>(place: Place, end: string | undefined, read: (place: Place) => T | undefined): T[] | undefined {
  const parts: T[] = [];
  while (!isAtEnd(place, end)) {
    const part = read(place);
    if (part === undefined) return undefined;
    parts.push(part);
    if (!takeMark(place, ',') && !isAtEnd(place, end)) return undefined;
  }
  if (end !== undefined) place.at++;
  return parts;
}

function isAtEnd(place: Place, end: string | undefined): boolean {
  match(place, /\s*/y);
  return end === undefined ? place.at === place.text.length : place.text[place.at] === end;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);

function readValue(place: Place): string | undefined {
  if (place.depth >= MAX_DEPTH) return undefined;
  place.depth++;
  const value = readOne(place);
  place.depth--;
  return value;
}

function readOne(place: Place): string | undefined {
  match(place, /\s*/y);
  const word = match(place, /[A-Za-z]+/y);
  if (word !== undefined) return WORDS.get(word);
  const number = match(place, /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (number !== undefined) return number;
  const mark = place.text[place.at];
  if (mark === '"' || mark === "'") return readString(place, mark);
  place.at++;
  if (mark === '{') {
    const members = readList(place, '}', readEntry);
    return members === undefined ? undefined : objectText(members);
  }
  const end = mark === '[' ? ']' : mark === '(' ? ')' : undefined;
  const items = end === undefined ? undefined : readList(place, end, readValue);
  return items === undefined ? undefined : `[${items.join(',')}]`;
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\\'"nrtbf\n]))/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '' };

function readString(place: Place, mark: string): string | undefined {
  const start = place.at + 1;
  let end = start;
  while (end < place.text.length && place.text[end] !== mark) end += place.text[end] === '\\' ? 2 : 1;
  if (end >= place.text.length) return undefined;
  place.at = end + 1;
  const raw = place.text.slice(start, end);
  return JSON.stringify(
    raw.replace(ESCAPE, (_all, wide?: string, byte?: string, char = '') => {
      const code = wide ?? byte;
      return code === undefined ? (ESCAPED[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16));
    }),
  );
}

function takeMark(place: Place, mark: string): boolean {
  match(place, /\s*/y);
  if (place.text[place.at] !== mark) return false;
  place.at++;
  return true;
}

function match(place: Place, pattern: RegExp): string | undefined {
  pattern.lastIndex = place.at;
  const found = pattern.exec(place.text)?.[0];
  place.at += found?.length ?? 0;
  return found;
}
