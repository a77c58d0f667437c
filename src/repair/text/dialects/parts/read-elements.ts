import { MAX_DEPTH } from '../../../limits.ts';
import { isSpace } from '../../../white-space.ts';
import type { Cursor } from '../../cursor.ts';
import { peekLiteral } from './literals.ts';
import { withoutPadding } from './parameter-text.ts';
import { isWhole } from './read-raw-value.ts';
import type { DialectReading } from './reading.ts';
import { tagPattern } from './tag-pattern.ts';
import { takeWord } from './take-word.ts';

/** Element with its content: a text, or other elements. */
export interface Element {
  readonly name: string;
  readonly content: string | readonly Element[];
}

/**
 * Reads elements up to one of `ends`, which is not read, or up to the end of the text. Every tag has a token before it,
 * so a text may contain other tags; a closing tag may lack its token. Undefined if an element was cut off.
 */
export function* readElements(
  cursor: Cursor,
  token: string,
  ends: readonly string[],
  depth = 0,
): DialectReading<readonly Element[] | undefined> {
  const elements: Element[] = [];
  for (;;) {
    yield* cursor.space();
    const tag = yield* peekLiteral(cursor, [...ends, `${token}<`, '<']);
    if (tag === undefined || ends.includes(tag)) return elements;
    yield* cursor.take(tag);
    const name = yield* takeWord(cursor, '<>\n');
    if (name === undefined || name === '' || name.startsWith('/') || !(yield* cursor.take('>'))) return undefined;
    cursor.begin();
    const content = depth < MAX_DEPTH ? yield* readContent(cursor, token, { name, ends, depth }) : undefined;
    if (content === undefined) return undefined;
    elements.push({ name, content });
  }
}

interface ElementContext {
  readonly name: string;
  readonly ends: readonly string[];
  readonly depth: number;
}

function* readContent(
  cursor: Cursor,
  token: string,
  { name, ends, depth }: ElementContext,
): DialectReading<string | readonly Element[] | undefined> {
  const close = `</${name}>`;
  const closes = [`${token}${close}`, close];
  const space = yield* cursor.while(isSpace);
  if ((yield* peekLiteral(cursor, [`${token}</`, `${token}<`])) === `${token}<`) {
    const inner = yield* readElements(cursor, token, closes, depth + 1);
    const end = yield* peekLiteral(cursor, closes);
    return end !== undefined && (yield* cursor.take(end)) ? inner : undefined;
  }
  const raw = yield* readText(cursor, { open: `${token}<${name}>`, close }, [token, ...ends]);
  if (raw === undefined) return undefined;
  const text = raw.endsWith(token) ? raw.slice(0, -token.length) : raw;
  return isOver(cursor) && !isWhole(text) ? undefined : withoutPadding(space + text, 'pair');
}

/**
 * Reads the text of an element. A closing tag counts if no quoted element is open and a tag of the block, or the end of
 * the text, follows it.
 */
function* readText(
  cursor: Cursor,
  { open, close }: ElementTags,
  next: readonly string[],
): DialectReading<string | undefined> {
  const pattern = tagPattern([open, close]);
  const parts: string[] = [];
  let depth = 0;
  for (;;) {
    const { before, tag } = yield* cursor.untilTag(pattern);
    parts.push(before);
    if (tag === '') return undefined;
    if (tag === open) {
      depth++;
      parts.push(open);
      continue;
    }
    const space = yield* cursor.while(isSpace);
    if (depth === 0 && ((yield* peekLiteral(cursor, next)) !== undefined || isOver(cursor))) return parts.join('');
    depth = Math.max(0, depth - 1);
    parts.push(close, space);
  }
}

interface ElementTags {
  readonly open: string;
  readonly close: string;
}

function isOver(cursor: Cursor): boolean {
  return cursor.ended && cursor.rest === '';
}
