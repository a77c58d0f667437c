import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { parseToml } from './parse-toml.ts';
import { changed, changeFile, headingOf, keyOf, parsed } from './set-setting.ts';
import { keyText } from './setting/key-text.ts';
import { withoutKey } from './without-key.ts';

/** A table of config.toml: plain values, lists of texts, and tables of such values. */
export type WrittenTable = Readonly<Record<string, WrittenValue | Readonly<Record<string, WrittenValue>>>>;

type WrittenValue = string | number | boolean | readonly string[];

/**
 * Writes a table into the user's config.toml, in the place of an old one of this name or at the end. All other lines and
 * the comments stay as they are. Throws `UserError`.
 */
export function setTable(userFile: string, path: readonly string[], table: WrittenTable): void {
  changeFile(userFile, (text) => withTable(text, path, table, userFile));
}

/** Removes a table from the user's config.toml. Returns whether there was one. Throws `UserError`. */
export function removeTable(userFile: string, path: readonly string[]): boolean {
  let isFound = false;
  changeFile(userFile, (text) => {
    const meaning = parseToml(text, userFile);
    // The parser makes objects without a prototype, which equal no others.
    isFound = !isDeepStrictEqual(structuredClone(withoutKey(meaning, path)), structuredClone(meaning));
    return isFound ? withoutTable(text, path, userFile) : text;
  });
  return isFound;
}

/** Returns a text of TOML with a table. Each place is tried, and the first counts that changes nothing else. */
export function withTable(text: string, path: readonly string[], table: WrittenTable, file: string): string {
  const wanted = structuredClone(changed(withoutKey(parseToml(text, file), path), path, table));
  const { lines, place } = cut(text, path);
  const block = tableLines(path, table);
  const candidates = [
    ...(place === undefined ? [] : [joined(lines.slice(0, place), block, lines.slice(place))]),
    joined(lines, block, []),
  ];
  const found = candidates.find((candidate) => isDeepStrictEqual(parsed(candidate), wanted));
  if (found !== undefined) return found;
  throw new UserError('invalid_config', `${file} has another form. Write into it:\n${block.join('\n')}`);
}

/** Returns a text of TOML without a table. */
export function withoutTable(text: string, path: readonly string[], file: string): string {
  const wanted = structuredClone(withoutKey(parseToml(text, file), path));
  const { lines, place = lines.length } = cut(text, path);
  const result = joined(lines.slice(0, place), [], lines.slice(place));
  // A heading of the table above may have been the name alone.
  const meanings = [wanted, structuredClone(withoutEmpty(wanted, path.slice(0, -1)))];
  if (meanings.some((meaning) => isDeepStrictEqual(parsed(result), meaning))) return result;
  throw new UserError('invalid_config', `${file} has another form. Remove ${keyText(path)} from it.`);
}

function withoutEmpty(table: Readonly<Record<string, unknown>>, path: readonly string[]) {
  const value = path.reduce<unknown>((below, key) => (isRecord(below) ? below[key] : undefined), table);
  return isRecord(value) && Object.keys(value).length === 0 ? withoutKey(table, path) : table;
}

/** Lines from which a table was cut, and the place of its heading. */
interface CutLines {
  readonly lines: readonly string[];
  /** Undefined for a table without a heading. */
  readonly place: number | undefined;
}

/** Removes the lines of a table. Comments before its heading and after its last key stay. */
function cut(text: string, path: readonly string[]): CutLines {
  const parts = partsOf(text === '' ? [] : text.replace(/\n$/, '').split('\n'));
  const isIts = parts.map(({ path: own }) => own !== undefined && path.every((key, n) => key === own[n]));
  const kept: string[] = [];
  let place: number | undefined;
  for (const [n, { lines, path: own, isHeading }] of parts.entries()) {
    const next = parts.findIndex((part, at) => at > n && part.path !== undefined);
    const isInside =
      own === undefined && isIts.slice(0, n).includes(true) && isIts[next] === true && !parts[next]?.isHeading;
    if (!isIts[n] && !isInside) kept.push(...lines);
    else if (isHeading) place ??= kept.length;
  }
  return { lines: kept, place };
}

/** A statement of TOML with the path that it is about, or a line without one. */
interface Part {
  readonly lines: readonly string[];
  readonly path: readonly string[] | undefined;
  readonly isHeading: boolean;
}

function partsOf(lines: readonly string[]): Part[] {
  const parts: Part[] = [];
  let table: readonly string[] = [];
  for (let n = 0; n < lines.length; ) {
    const line = lines[n] ?? '';
    // An array of tables has two brackets.
    const heading =
      headingOf(line) ?? (/^\s*\[\[/.test(line) ? headingOf(line.replace(/\[\[(.*)\]\]/, '[$1]')) : undefined);
    const key = heading || /^\s*(#|$)/.test(line) ? undefined : keyOf(line);
    const count = key === undefined ? 1 : entryLength(lines.slice(n));
    if (heading) table = heading;
    parts.push({
      lines: lines.slice(n, n + count),
      path: heading ?? (key && [...table, ...key]),
      isHeading: heading !== undefined,
    });
    n += count;
  }
  return parts;
}

/** Returns the number of lines that the first entry has: a value may go on for some lines. */
function entryLength(lines: readonly string[]): number {
  const length = lines.findIndex((_, n) => parsed(lines.slice(0, n + 1).join('\n')) !== undefined);
  return length === -1 ? 1 : length + 1;
}

/** Joins blocks of lines with one empty line between them. */
function joined(before: readonly string[], block: readonly string[], after: readonly string[]): string {
  const blocks = [trimmed(before, 'end'), block, trimmed(trimmed(after, 'start'), 'end')].filter(
    ({ length }) => length > 0,
  );
  const lines = blocks.flatMap((one, n) => (n === 0 ? one : ['', ...one]));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function trimmed(lines: readonly string[], side: 'start' | 'end'): readonly string[] {
  const isFull = (line: string) => line.trim() !== '';
  if (side === 'end') return lines.slice(0, lines.findLastIndex(isFull) + 1);
  const first = lines.findIndex(isFull);
  return first === -1 ? [] : lines.slice(first);
}

/** Returns the lines of a table with its heading. */
export function tableLines(path: readonly string[], table: WrittenTable): string[] {
  const below = Object.entries(table).filter(([, value]) => isRecord(value));
  return [
    `[${keyText(path)}]`,
    ...Object.entries(table)
      .filter(([, value]) => !isRecord(value))
      .map(([key, value]) => `${keyText([key])} = ${valueText(value)}`),
    ...below.flatMap(([key, value]) => ['', ...tableLines([...path, key], value as WrittenTable)]),
  ];
}

/** Returns a plain value as TOML. Its strings are those of JSON, except for a character that JSON need not escape. */
export function valueText(value: unknown): string {
  const text = Array.isArray(value)
    ? `[${value.map((entry) => JSON.stringify(entry)).join(', ')}]`
    : JSON.stringify(value);
  return text.replaceAll('\u007f', '\\u007f');
}
