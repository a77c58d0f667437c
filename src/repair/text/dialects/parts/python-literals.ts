import { MAX_DEPTH } from '../../../limits.ts';
import { objectText } from './parameter-text.ts';

/**
 * Returns the arguments of a call in Python, `city="SF", days=3`, as a JSON object. Undefined if they cannot be read.
 */
export function pythonArguments(text: string): string | undefined {
  const parser: Parser = { text, at: 0, depth: 0 };
  const members = readList(parser, undefined, readArgument);
  return members === undefined ? undefined : objectText(members);
}

interface Parser {
  readonly text: string;
  at: number;
  depth: number;
}

type Member = readonly [key: string, value: string];

function readArgument(parser: Parser): Member | undefined {
  const key = match(parser, /\w+/y);
  if (key === undefined || !takeMark(parser, '=')) return undefined;
  const value = readValue(parser);
  return value === undefined ? undefined : [key, value];
}

function readEntry(parser: Parser): Member | undefined {
  const key = readValue(parser);
  if (!key?.startsWith('"') || !takeMark(parser, ':')) return undefined;
  const value = readValue(parser);
  return value === undefined ? undefined : [JSON.parse(key), value];
}

/** Reads the parts up to a closing bracket, or up to the end of the text if `end` is undefined. */
function readList<T>(
  parser: Parser,
  end: string | undefined,
  read: (parser: Parser) => T | undefined,
): T[] | undefined {
  const parts: T[] = [];
  while (!isAtEnd(parser, end)) {
    const part = read(parser);
    if (part === undefined) return undefined;
    parts.push(part);
    if (!takeMark(parser, ',') && !isAtEnd(parser, end)) return undefined;
  }
  if (end !== undefined) parser.at++;
  return parts;
}

function isAtEnd(parser: Parser, end: string | undefined): boolean {
  match(parser, /\s*/y);
  return end === undefined ? parser.at === parser.text.length : parser.text[parser.at] === end;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);

function readValue(parser: Parser): string | undefined {
  if (parser.depth >= MAX_DEPTH) return undefined;
  parser.depth++;
  const value = readOne(parser);
  parser.depth--;
  return value;
}

function readOne(parser: Parser): string | undefined {
  match(parser, /\s*/y);
  const word = match(parser, /[A-Za-z]+/y);
  if (word !== undefined) return WORDS.get(word);
  const number = match(parser, /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (number !== undefined) return number;
  const mark = parser.text[parser.at];
  if (mark === '"' || mark === "'") return readString(parser, mark);
  parser.at++;
  if (mark === '{') {
    const members = readList(parser, '}', readEntry);
    return members === undefined ? undefined : objectText(members);
  }
  const end = mark === '[' ? ']' : mark === '(' ? ')' : undefined;
  const items = end === undefined ? undefined : readList(parser, end, readValue);
  return items === undefined ? undefined : `[${items.join(',')}]`;
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\\'"nrtbf\n]))/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '' };

function readString(parser: Parser, mark: string): string | undefined {
  const start = parser.at + 1;
  let end = start;
  while (end < parser.text.length && parser.text[end] !== mark) end += parser.text[end] === '\\' ? 2 : 1;
  if (end >= parser.text.length) return undefined;
  parser.at = end + 1;
  const raw = parser.text.slice(start, end);
  return JSON.stringify(
    raw.replace(ESCAPE, (_all, wide?: string, byte?: string, char = '') => {
      const code = wide ?? byte;
      return code === undefined ? (ESCAPED[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16));
    }),
  );
}

function takeMark(parser: Parser, mark: string): boolean {
  match(parser, /\s*/y);
  if (parser.text[parser.at] !== mark) return false;
  parser.at++;
  return true;
}

function match(parser: Parser, pattern: RegExp): string | undefined {
  pattern.lastIndex = parser.at;
  const found = pattern.exec(parser.text)?.[0];
  parser.at += found?.length ?? 0;
  return found;
}
