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
 * and its accent apart. Line feeds stay. Different texts stay different, also without their styles.
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
  for (const grapheme of graphemes(text)) {
    const isComposed = grapheme === grapheme.normalize('NFC');
    for (const [index, character] of [...grapheme].entries()) {
      const isApart = !isComposed && (index > 0 || character !== character.normalize('NFC'));
      if (character !== '\n' && (isApart || MARKED.test(character))) mark(character);
      else plain += character;
    }
  }
  if (plain !== '') spans.push(span(plain, style));
  return spans;
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
