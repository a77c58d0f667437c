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
  /** Beginnings of a parameter: `<parameter=` before its name, `<parameter ` before its attributes. */
  readonly open: readonly string[];
  readonly close: string;
  /** Tags that end the parameters. */
  readonly end: readonly string[];
  /** Tags that may follow a missing end: another call, or the end of the block. */
  readonly begins: readonly string[];
  readonly blockEnd: readonly string[];
  readonly raw: RawTags;
}

/** Returns the tags of parameters. `blocks` are further beginnings of calls, which do not follow a parameter. */
export function parameterTags(
  tags: Omit<ParameterTags, 'raw'> & { readonly blocks: readonly string[] },
): ParameterTags {
  const { open, close, end, begins, blockEnd, blocks } = tags;
  return { ...tags, raw: rawTags({ open, close, next: open, ends: [...end, ...blockEnd], begins }, blocks) };
}

/**
 * Reads the parameters of a call, each between tags or all in one JSON object, and their end. Returns the arguments.
 */
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
    // A name that comes twice stands in a quoted call.
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
  // Without its brackets, a text before other tags may go on after a quotation mark that was not escaped.
  return cursor.jsonIsWhole || (yield* cursor.peek()) === undefined ? text : undefined;
}

/**
 * Reports whether the call is closed. At the end of the text a call counts only if it has arguments: after its name
 * alone they may still follow.
 */
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
  // Where tags lack their brackets, some brackets may still be there.
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
