import { graphemes, isAscii } from './graphemes.ts';

/** Characters that take two cells: those of East Asia, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters that take no cell: marks above and below others, joiners, vowels and finals of Hangul that follow a consonant. */
const ZERO = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const PICTURE = /\p{Extended_Pictographic}/u;
const FLAG = /^[\u{1f1e6}-\u{1f1ff}]{2}/u;
const SKIN_TONE = /\p{Emoji_Modifier}/u;
/** Asks for the form of the character before it that is a picture. */
const AS_PICTURE = '\ufe0f';
const JOINER = '\u200d';

/**
 * Returns the number of cells that a text takes on a terminal. The text has no tabs and no control characters: see
 * `expandTabs` and `visible`.
 */
export function cellWidth(text: string): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Returns the cells of one grapheme. A family of emoji, a flag and an emoji with a skin tone take two like any emoji. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme <= '\u02ff') return 1;
  if (FLAG.test(grapheme)) return 2;
  let width = 0;
  let last = '';
  for (const character of grapheme) {
    const isPart = last !== '' && (SKIN_TONE.test(character) || (last === JOINER && PICTURE.test(character)));
    if (!isPart) width += characterWidth(character);
    last = character;
  }
  return width === 1 && grapheme.includes(AS_PICTURE) && /^\p{Emoji}/u.test(grapheme) ? 2 : width;
}

function characterWidth(character: string): number {
  if (character <= '\u02ff') return 1;
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

const TAB_CELLS = 4;

/** Returns a line with spaces up to the next stop instead of each tab. */
export function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  const parts = line.split('\t');
  const last = parts.pop() ?? '';
  return parts.map((part) => `${part}${' '.repeat(TAB_CELLS - (cellWidth(part) % TAB_CELLS))}`).join('') + last;
}
