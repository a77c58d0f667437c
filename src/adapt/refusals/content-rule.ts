import type { RequestCompat } from '../../base/wire.ts';
import { historyOf } from '../history.ts';
import type { RefusalRule, RefusedRequest } from './rule.ts';

/** Contents to try for messages without text. Each is tried only after those before it, so that the trials end. */
const STYLES: readonly RequestCompat['emptyContent'][] = ['as_sent', 'null', 'empty', 'space', 'omit'];

/** Recognises a server that wants a text instead of null, or something instead of an empty text (G7). */
export const contentRule: RefusalRule = (request) => {
  const wanted = wantedStyles(request);
  const tried = STYLES.indexOf(request.compat.emptyContent);
  const emptyContent = STYLES.slice(tried + 1).find((style) => wanted.includes(style));
  if (emptyContent === undefined) return undefined;
  return {
    patch: { emptyContent },
    reason: `The server refuses messages that hold calls and no text: their content is ${WORDS[emptyContent]}.`,
  };
};

function wantedStyles(request: RefusedRequest): readonly RequestCompat['emptyContent'][] {
  const { text } = request.refusal;
  if (WANTS_TEXT.some((pattern) => pattern.test(text))) return ['empty', 'space'];
  if (!WANTS_MORE.some((pattern) => pattern.test(text))) return [];
  return sendsEmptyText(request) ? ['null', 'space', 'omit'] : ['space', 'omit'];
}

const WORDS: Readonly<Record<RequestCompat['emptyContent'], string>> = {
  as_sent: 'sent as it is',
  null: 'sent as null',
  empty: 'sent as an empty text',
  space: 'sent as a space',
  omit: 'left out',
};

const WANTS_TEXT: readonly RegExp[] = [
  /invalid message content type/i,
  /missing field `content`/i,
  /content.{0,60}(?:invalid type: null|none is not|should be a valid (?:string|list)|expected (?:a )?string|is required|cannot be null)/is,
];

const WANTS_MORE: readonly RegExp[] = [
  /content.{0,80}(?:must be non-?empty|non-?empty content|must not be empty|cannot be empty|is empty|can'?t be empty)/is,
  /content.{0,60}must contain non-whitespace/is,
  /non-?empty content/i,
];

function sendsEmptyText({ rules, sent }: RefusedRequest): boolean {
  return historyOf(rules, sent).some((entry) => {
    const message = rules.messageOf(entry);
    return message !== undefined && rules.isCallOnly?.(message) === true && typeof message.content === 'string';
  });
}
