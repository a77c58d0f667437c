import type { RepairTool } from '../../../context.ts';
import type { Cursor } from '../../cursor.ts';
import { readArguments } from './arguments-text.ts';
import { peekLiteral, takeClosing } from './literals.ts';
import { objectText, parameterText, propertySchema, withoutPadding } from './parameter-text.ts';
import { readAttributes } from './read-attributes.ts';
import { type RawTags, rawTags, readRawValue } from './read-raw-value.ts';
import type { DialectReading } from './reading.ts';
import { takeWord } from './take-word.ts';

export interface ParameterTags {
  /** What begins a parameter: `<parameter=` before its name, `<parameter ` before its attributes. */
  readonly open: readonly string[];
  readonly close: string;
  /** What ends the parameters. */
  readonly end: readonly string[];
  /** What may follow where the end was forgotten: another call, or the end of all. */
  readonly begins: readonly string[];
  readonly blockEnd: readonly string[];
  readonly raw: RawTags;
}

/** `blocks`: what else may begin calls, but not right after a parameter. */
export function parameterTags(
  tags: Omit<ParameterTags, 'raw'> & { readonly blocks: readonly string[] },
): ParameterTags {
  const { open, close, end, begins, blockEnd, blocks } = tags;
  return { ...tags, raw: rawTags({ open, close, next: open, ends: [...end, ...blockEnd], begins }, blocks) };
}

/** Takes the parameters of a call, each between tags or all in one JSON object, and their end. Gives the arguments. */
export function* readParameters(
  cursor: Cursor,
  tool: RepairTool | undefined,
  tags: ParameterTags,
): DialectReading<string | undefined> {
  yield* cursor.space();
  if ((yield* cursor.peek()) === '{') return yield* readJsonBody(cursor, tool, tags);
  const members = new Map<string, string>();
  for (;;) {
    yield* cursor.space();
    const tag = yield* peekLiteral(cursor, [...tags.open, ...tags.end, ...tags.begins, ...tags.blockEnd]);
    if (tag === undefined || !tags.open.includes(tag)) break;
    yield* cursor.take(tag);
    const member = yield* readParameter(cursor, tool, { ...tags, opened: tag });
    if (member === undefined) return undefined;
    // A name that comes twice is that of a quoted one.
    if (members.has(member[0])) cursor.reject();
    members.set(...member);
  }
  const closed = yield* isClosed(cursor, tags, members.size > 0);
  return closed ? objectText(members) : undefined;
}

function* readJsonBody(
  cursor: Cursor,
  tool: RepairTool | undefined,
  tags: ParameterTags,
): DialectReading<string | undefined> {
  const text = yield* readArguments(cursor, tool, []);
  if (text === undefined) return undefined;
  yield* cursor.space();
  if (!(yield* isClosed(cursor, tags, true))) return undefined;
  // Before other tags a text without its brackets may go on after a quotation mark that was not escaped.
  return cursor.jsonIsWhole || (yield* cursor.peek()) === undefined ? text : undefined;
}

/** A call that the text ends in counts only if it has arguments: after its name alone they may be yet to come. */
function* isClosed(
  cursor: Cursor,
  { end, begins, blockEnd }: ParameterTags,
  hasArguments: boolean,
): DialectReading<boolean> {
  const tag = yield* peekLiteral(cursor, [...end, ...begins, ...blockEnd]);
  if (tag === undefined) return hasArguments && (yield* takeClosing(cursor, end));
  if (end.includes(tag)) yield* cursor.take(tag);
  return true;
}

function* readParameter(
  cursor: Cursor,
  tool: RepairTool | undefined,
  { opened, close, raw: tags }: ParameterTags & { readonly opened: string },
): DialectReading<[key: string, value: string] | undefined> {
  const attributes = opened.endsWith('=') ? yield* readBareName(cursor) : yield* readAttributes(cursor);
  const key = attributes?.get('name');
  if (key === undefined) return undefined;
  cursor.begin();
  const raw = yield* readRawValue(cursor, tags);
  if (raw === undefined) return undefined;
  // Where the brackets of the tags are missing, some of them may be there.
  const whole = !close.startsWith('<') && raw.endsWith('</') ? raw.slice(0, -2) : raw;
  const value = withoutPadding(whole, opened.endsWith('=') ? 'each' : 'pair');
  return [key, parameterText(value, propertySchema(tool?.schema, key), attributes?.get('string'))];
}

function* readBareName(cursor: Cursor): DialectReading<ReadonlyMap<string, string> | undefined> {
  const name = yield* takeWord(cursor, '<>\n');
  return name !== undefined && (yield* cursor.take('>')) ? new Map([['name', unquoted(name)]]) : undefined;
}

function unquoted(name: string): string {
  return /^(["']).*\1$/.test(name) ? name.slice(1, -1) : name;
}
