import { graphemes } from './graphemes.ts';
import { PLAIN, type Span, type SpanStyle, span } from './span.ts';

/**
 * Characters that a person cannot see or cannot tell from others: controls, marks of direction, characters without width,
 * tags, half surrogates, private ones and blanks other than a space. Also the signs that stand for them here.
 */
const MARKED =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u2400-\u2426\u27e8]|[^\P{Zs} ]/u;

const INVERSE: SpanStyle = { inverse: true };

const SIMPLE = /^[\n\x20-\x7e]*$/;

/**
 * Returns a text for a person who decides about it. Every character that hides is written out in reverse: `␛` for a control
 * character, `⟨U+202E⟩` for others. A character in a form that looks like another one is written out too, such as a letter
 * and its accent apart, or a letter of another script in a word with Latin ones. Line feeds stay. Different texts stay different, also without their styles.
 */
export function markedSpans(text: string, style: SpanStyle = PLAIN): Span[] {
  if (SIMPLE.test(text)) return text === '' ? [] : [span(text, style)];
  const spans: Span[] = [];
  let plain = '';
  const mark = (character: string) => {
    if (plain !== '') spans.push(span(plain, style));
    plain = '';
    spans.push(markOf(character, style));
  };
  const foreign = foreignLetters(text);
  let at = 0;
  for (const grapheme of graphemes(text)) {
    const isComposed = grapheme === grapheme.normalize('NFC');
    const isForeign = foreign.has(at);
    at += grapheme.length;
    for (const [index, character] of [...grapheme].entries()) {
      const isApart = !isComposed && (index > 0 || character !== character.normalize('NFC'));
      if (character !== '\n' && (isApart || isForeign || MARKED.test(character))) mark(character);
      else plain += character;
    }
  }
  if (plain !== '') spans.push(span(plain, style));
  return spans;
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const FOREIGN = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu;
/** Scripts whose words stand next to Latin ones without a space, and whose letters look like none of them. */
const APART = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー々]/gu;

/** Returns the places of letters of another script in words that have Latin letters too, such as the second in `pаypal`. */
function foreignLetters(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { 0: word, index } of text.replace(APART, (found) => ' '.repeat(found.length)).matchAll(WORDS))
    if (LATIN.test(word)) for (const found of word.matchAll(FOREIGN)) places.add(index + found.index);
  return places;
}

/** Returns a text as `markedSpans` does, with its line feeds written out. */
export function markedLine(text: string, style: SpanStyle = PLAIN): Span[] {
  return text
    .split('\n')
    .flatMap((line, index) => [...(index === 0 ? [] : [markOf('\n', style)]), ...markedSpans(line, style)]);
}

const markOf = (character: string, style: SpanStyle): Span => span(signOf(character), { ...style, ...INVERSE });

const PICTURES = 0x2400;
const DELETE = 0x7f;
const PICTURE_OF_DELETE = '␡';

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(PICTURES + code);
  return code === DELETE ? PICTURE_OF_DELETE : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
