import { isSpace } from '../../../white-space.ts';
import type { Cursor, TagPattern } from '../../cursor.ts';
import { peekLiteral } from './literals.ts';
import type { DialectReading } from './reading.ts';
import { tagPattern } from './tag-pattern.ts';

/** Tags around a value that is not escaped, so that it may contain any of them. */
export interface RawTags {
  /** Tags that begin a value. */
  readonly open: readonly string[];
  readonly close: string;
  /** Tags that begin the next value of the call. */
  readonly next: readonly string[];
  /** Tags that end the call. */
  readonly ends: readonly string[];
  /** Tags that begin another call where the end is missing. */
  readonly begins: readonly string[];
  /** All tags that may follow a value. */
  readonly follow: readonly string[];
  readonly pattern: TagPattern;
}

/** Returns the tags of values. `blocks` are further beginnings of calls, which do not follow a value. */
export function rawTags(tags: Omit<RawTags, 'follow' | 'pattern'>, blocks: readonly string[] = []): RawTags {
  const { open, close, next, ends, begins } = tags;
  const pattern = tagPattern([close, ...open, ...begins, ...blocks]);
  return { ...tags, follow: [...next, ...ends, ...begins], pattern };
}

/**
 * Reads up to the closing tag of a value, and the tag. A value may quote tags, its own closing tags included. A closing
 * tag counts if all tags opened in the value are closed and an expected tag follows. If that tag ends the call, the
 * text after the call is examined too. Undefined if the value was cut off, or if its end is ambiguous.
 */
export function* readRawValue(cursor: Cursor, tags: RawTags): DialectReading<string | undefined> {
  const parts: string[] = [];
  let depth = 0;
  for (;;) {
    const { before, tag } = yield* cursor.untilTag(tags.pattern);
    parts.push(before);
    if (tag === '') return undefined;
    if (tag !== tags.close) {
      parts.push(tag);
      if (isOpener(tag, tags)) depth++;
      continue;
    }
    const space = yield* cursor.while(isSpace);
    const after = depth > 0 ? undefined : yield* whatFollows(cursor, tags);
    depth = Math.max(0, depth - 1);
    if (after === 'next') return parts.join('');
    if (after === 'nothing') return wholeOrNothing(parts.join(''));
    if (after === 'end' || (after === 'begin' && parts.length === 1 && isWhole(before))) {
      const rest = yield* lookOn(cursor, tags);
      if (rest === 'calls') return parts.join('');
      if (rest === 'unclear') return undefined;
      parts.push(tags.close, space, rest.quoted);
      continue;
    }
    parts.push(tags.close, space);
  }
}

/**
 * Looks ahead at the text after a call, without reading it. `calls`: nothing, or text and further calls. `quoted`: a
 * value closes that was never opened, so the end of the call was quoted in it; this is the text up to that closing tag.
 * `unclear`: the text mixes parts of this call with other calls.
 */
function* lookOn(cursor: Cursor, tags: RawTags): DialectReading<'calls' | 'unclear' | { readonly quoted: string }> {
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  let inCalls = false;
  cursor.look();
  for (;;) {
    const { before, tag } = yield* cursor.untilTag(tags.pattern);
    parts.push(before, tag);
    length += before.length + tag.length;
    if (tag === '' || length > FAR) break;
    if (tag !== tags.close) {
      const opens = isOpener(tag, tags);
      if (opens && !inCalls) return 'unclear';
      inCalls = true;
      depth += Number(opens);
      continue;
    }
    const space = yield* cursor.while(isSpace);
    if ((yield* whatFollows(cursor, tags)) !== undefined && depth-- <= 0) {
      if (inCalls) return 'unclear';
      parts.pop();
      cursor.unread(tag + space);
      return { quoted: parts.join('') };
    }
    parts.push(space);
    length += space.length;
  }
  cursor.unread(parts.join(''));
  return 'calls';
}

/** The most characters after a call that are looked at. */
const FAR = 1024;

type After = 'next' | 'end' | 'begin' | 'nothing';

function isOpener(tag: string, { open }: RawTags): boolean {
  return open.some((opener) => tag.startsWith(opener));
}

function* whatFollows(cursor: Cursor, { next, ends, follow }: RawTags): DialectReading<After | undefined> {
  const tag = yield* peekLiteral(cursor, follow);
  if (tag !== undefined) return next.includes(tag) ? 'next' : ends.includes(tag) ? 'end' : 'begin';
  return cursor.ended && cursor.rest === '' ? 'nothing' : undefined;
}

function wholeOrNothing(value: string): string | undefined {
  return isWhole(value) ? value : undefined;
}

/**
 * Reports whether a value is whole where no tag ends the call: its closing tag may be part of an unfinished quotation.
 */
export function isWhole(value: string): boolean {
  const line = value.replace(/^\r?\n|\r?\n$/g, '');
  return PLAIN_LINE.test(line) && ['"', "'", '`'].every((quote) => line.split(quote).length % 2 === 1);
}

const PLAIN_LINE = /^[^\r\n<]*[^\s<\\]$/;
