/** Characters that belong to the one before them: marks, joiners, tags, skin tones, vowels and finals of Hangul. */
const EXTENDS = /[\p{M}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f\u0e33\u0eb3]|\p{Emoji_Modifier}/u;
/** Signs of numbers and the like that belong to the character after them. */
const PREPENDS =
  /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u{110bd}\u{110cd}\u{111c2}\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a3a}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}]/u;
/** Marks that join two consonants of Indian scripts. */
const LINKS =
  /[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\u{10a3f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}\u{11f42}]/u;
const LEADING_JAMO = /[\u1100-\u115f\ua960-\ua97c]/;
const HANGUL = /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7ff]/;
const REGIONAL = /[\u{1f1e6}-\u{1f1ff}]/u;
const PICTURE = /\p{Extended_Pictographic}/u;
const JOINER = '\u200d';

const ASCII = /^[\x20-\x7e]*$/;

/** Reports whether every character of a text is visible ASCII, which needs no tables. */
export const isAscii = (text: string): boolean => ASCII.test(text);

/**
 * Returns the characters of a text as a person counts them. Written by hand because the first `Intl.Segmenter` costs more
 * than 30 ms and its time grows with the square of the text. Some rare sequences that could be split stay together.
 */
export function graphemes(text: string): string[] {
  if (isAscii(text)) return text.split('');
  const found: string[] = [];
  let current = '';
  let last = '';
  let regionals = 0;
  let linked = false;
  for (const character of text) {
    const joins =
      current !== '' &&
      (joinsAlways(last, character) || joinsFlag(regionals, character) || joinsLinked(linked, character));
    if (!joins) {
      if (current !== '') found.push(current);
      current = '';
      regionals = 0;
      linked = false;
    }
    if (REGIONAL.test(character)) regionals += 1;
    linked = LINKS.test(character) || (linked && EXTENDS.test(character));
    current += character;
    last = character;
  }
  if (current !== '') found.push(current);
  return found;
}

function joinsAlways(last: string, next: string): boolean {
  if (next <= '\u02ff' && last <= '\u02ff') return next === '\n' && last === '\r';
  if (EXTENDS.test(next)) return last !== '\n';
  if (last === JOINER) return PICTURE.test(next);
  return (LEADING_JAMO.test(last) && HANGUL.test(next)) || (PREPENDS.test(last) && next >= ' ');
}

const joinsFlag = (regionals: number, next: string) => regionals === 1 && REGIONAL.test(next);

const joinsLinked = (linked: boolean, next: string) => linked && next > '\u02ff' && /\p{L}/u.test(next);
