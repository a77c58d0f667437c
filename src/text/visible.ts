import { visibleText } from '../base/visible-text.ts';

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

/** CSI sequences, strings such as titles up to their terminator, and two-character sequences. */
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[ -/]*[0-~])`,
  'g',
);

/** Marks of direction, separators, and characters without width. */
const UNSEEN = '[\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}]';

/**
 * Unseen characters. The first part are those that texts in many languages and emoji need: joiners after a character that
 * is not ASCII, and choices between the forms of a character.
 */
const UNSEEN_IN_TEXT = new RegExp(`((?<=\\P{ASCII})[\\u200C\\u200D]|[\\uFE00-\\uFE0F])|${UNSEEN}`, 'gu');

/** The same for a part of a text. A character before the part may need the joiner that the part begins with. */
const UNSEEN_IN_PART = new RegExp(`((?<=^|\\P{ASCII})[\\u200C\\u200D]|[\\uFE00-\\uFE0F])|${UNSEEN}`, 'gu');

const CONTROLS = /(?![\n\t])\p{Cc}/gu;

const PLAIN_TEXT = /^[\n\t\x20-\x7e]*$/;

/**
 * Returns a text without terminal sequences: a model or a command must not move the cursor or set the title. Other
 * characters that a person cannot see are shown by their numbers.
 */
export function printable(text: string): string {
  return written(text.replace(SEQUENCES, '').replace(CONTROLS, ''), UNSEEN_IN_PART);
}

/**
 * Returns a text in which control characters and others that a person cannot see are shown by their numbers, so that
 * nothing of the text is lost. Line feeds and tabs stay.
 */
export function visible(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  return written(text.replace(CONTROLS, visibleText), UNSEEN_IN_TEXT).replace(/\p{Cs}/gu, '\ufffd');
}

function written(text: string, unseen: RegExp): string {
  return text.replace(unseen, (found, needed: string | undefined) => needed ?? visibleText(found));
}
