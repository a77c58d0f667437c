import type { RepairId } from '../catalog.ts';
import { isSpace } from '../white-space.ts';
import { ANY, BOOLEAN, INTEGER, NUMBER, STRING, typeOf } from './schema-place.ts';

/** Replacement of a bare word, and the repair that it is. */
export interface RepairedWord {
  readonly id: RepairId;
  readonly text: string;
}

/**
 * Returns the replacement of a bare word: a value without quotes, brackets or white space. Undefined if the word stays,
 * as a number and a literal do where they fit.
 */
export function repairWord(word: string, types: number): RepairedWord | undefined {
  const literal = PYTHON.get(word);
  const type = typeOfLiteral(literal ?? word);
  const quoted = { id: 'C10', text: JSON.stringify(word) } as const;
  if (type === undefined) return allowsText(types) ? quoted : undefined;
  if (type & (BOOLEAN | NUMBER | INTEGER) && !(types & kinOf(type)) && allowsText(types)) return quoted;
  return literal === undefined ? undefined : { id: 'C9', text: literal };
}

/** Reports whether a word with this first character may have to be changed. Any other word passes as it comes. */
export function mayNeedRepair(first: number, types: number): boolean {
  if (PYTHON_INITIALS.includes(first)) return true;
  if (!allowsText(types) || LEFT_ALONE.includes(first)) return false;
  return !(BOOLEAN_INITIALS.includes(first) && types & BOOLEAN);
}

/** Returns the literal that a string stands for where the types do not allow strings. */
export function literalIn(text: string, types: number): string | undefined {
  const literal = PYTHON.get(text) ?? text;
  const type = typeOfLiteral(literal);
  return type !== undefined && types & type ? literal : undefined;
}

export function isNumber(word: string): boolean {
  return NUMBER_FORM.test(word);
}

/** Reports whether a word is a number or a literal of JSON. */
export function isLiteral(word: string): boolean {
  return isNumber(word) || word === 'null' || word === 'true' || word === 'false';
}

/** Returns the end of the word that begins at an index, as far as the text goes. */
export function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !endsWord(text.charCodeAt(end))) end++;
  return end;
}

const NUMBER_FORM = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PYTHON: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);
const codes = (characters: string) => [...characters].map((character) => character.charCodeAt(0));
const PYTHON_INITIALS = codes('TFN');
const BOOLEAN_INITIALS = codes('tf');
/**
 * Strings in other quotes pass unchanged, and `null` is right far more often than it is the beginning of a bare text.
 */
const LEFT_ALONE = codes("n'`");
const DELIMITERS = codes(',}]{["');

function endsWord(code: number): boolean {
  return isSpace(code) || DELIMITERS.includes(code);
}

function allowsText(types: number): boolean {
  return types !== ANY && (types & STRING) !== 0;
}

function typeOfLiteral(word: string): number | undefined {
  return isLiteral(word) ? typeOf(JSON.parse(word)) : undefined;
}

/** Returns the types that count as the same kind: a fraction in the place of a whole number is still not a text. */
function kinOf(type: number): number {
  return type & (NUMBER | INTEGER) ? NUMBER | INTEGER : type;
}
