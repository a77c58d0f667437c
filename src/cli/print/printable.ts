import { visibleText } from '../../base/visible-text.ts';

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

/** CSI sequences, strings such as titles up to their terminator, and two-character sequences. */
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[ -/]*[0-~])`,
  'g',
);

/**
 * Characters without width and marks of direction. The first part are those that texts in many languages and emoji
 * need: joiners after a character that is not ASCII, and choices between the forms of a character.
 */
const UNSEEN =
  /((?<=^|\P{ASCII})(?:\u200C|\u200D)|[\uFE00-\uFE0F])|[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/**
 * Returns a text without terminal sequences: a model or a command must not move the cursor or set the title. Other
 * characters that a person cannot see are shown by their numbers.
 */
export function printable(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\p{Cc}/gu, (control) => (control === '\n' || control === '\t' ? control : ''))
    .replace(UNSEEN, (found, needed: string | undefined) => needed ?? visibleText(found));
}
