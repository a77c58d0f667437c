/** Entity in a text: its meaning and its end, or `undecided` while more text is needed. */
export type Entity = { readonly text: string; readonly end: number } | 'undecided' | undefined;

/**
 * Reads the HTML entity whose `&` stands right before an index. Knows the entities that escaping makes, and numeric
 * ones.
 */
export function readEntity(text: string, at: number): Entity {
  const name = text.slice(at, at + MAX_NAME + 1);
  const end = name.indexOf(';');
  if (end < 0) return name.length <= MAX_NAME && BEGINNING.test(name) ? 'undecided' : undefined;
  const meaning = meaningOf(name.slice(0, end));
  return meaning === undefined ? undefined : { text: meaning, end: at + end + 1 };
}

const MAX_NAME = 8;
const BEGINNING = /^(?:#(?:\d*|[xX][\da-fA-F]*)|[a-z]*)$/;
const NAMES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function meaningOf(name: string): string | undefined {
  if (!name.startsWith('#')) return NAMES.get(name);
  const code = numberOf(name.slice(1));
  if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return String.fromCodePoint(code);
}

function numberOf(digits: string): number {
  if (/^\d+$/.test(digits)) return Number(digits);
  return /^[xX][\da-fA-F]+$/.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.NaN;
}
