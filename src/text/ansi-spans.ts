import { PLAIN, type Span, type SpanColor, type SpanStyle, span } from './span.ts';
import { printable } from './visible.ts';

const ESCAPE = String.fromCharCode(0x1b);

/** Sequences that set colours and attributes. */
const SGR = new RegExp(`${ESCAPE}\\[([0-9;:]*)m`, 'g');

/**
 * Returns the text of a command as spans. Colours and attributes are kept; all other sequences and control characters are
 * dropped, except line feeds and tabs.
 */
export function ansiSpans(text: string): Span[] {
  const spans: Span[] = [];
  let style: SpanStyle = PLAIN;
  let start = 0;
  const add = (part: string) => {
    const shown = printable(part);
    if (shown !== '') spans.push(span(shown, style));
  };
  for (const found of text.matchAll(SGR)) {
    add(text.slice(start, found.index));
    style = withCodes(style, found[1] ?? '');
    start = found.index + found[0].length;
  }
  add(text.slice(start));
  return spans;
}

const ON: Readonly<Record<number, keyof SpanStyle>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};

const OFF: Readonly<Record<number, readonly (keyof SpanStyle)[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
  39: ['color'],
  49: ['background'],
};

function withCodes(before: SpanStyle, list: string): SpanStyle {
  let style = before;
  const codes = list.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const on = ON[code];
    const color = basicColor(code);
    if (code === 0) style = PLAIN;
    else if (on !== undefined) style = { ...style, [on]: true };
    else if (code in OFF) style = without(style, OFF[code] ?? []);
    else if (color !== undefined) style = { ...style, ...color };
    else if (code === 38 || code === 48) {
      const { value, used } = longColor(codes.slice(at + 1));
      if (value !== undefined) style = { ...style, [code === 38 ? 'color' : 'background']: value };
      at += used;
    }
  }
  return style;
}

function without(style: SpanStyle, names: readonly (keyof SpanStyle)[]): SpanStyle {
  const kept = Object.entries(style).filter(([name]) => !names.some((dropped) => dropped === name));
  return kept.length === 0 ? PLAIN : Object.fromEntries(kept);
}

/** Returns the colour of the 16 that a code stands for. */
function basicColor(code: number): Pick<SpanStyle, 'color' | 'background'> | undefined {
  if (code >= 30 && code <= 37) return { color: code - 30 };
  if (code >= 90 && code <= 97) return { color: code - 90 + 8 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  return code >= 100 && code <= 107 ? { background: code - 100 + 8 } : undefined;
}

/** Returns the colour of `38;5;n` or `38;2;r;g;b`, and the number of codes after the first that it consists of. */
function longColor([kind, ...rest]: readonly number[]): { readonly value?: SpanColor; readonly used: number } {
  const wanted = kind === 5 ? 1 : kind === 2 ? 3 : 0;
  const values = rest.slice(0, wanted);
  const isGood = wanted > 0 && values.length === wanted && values.every((value) => value >= 0 && value <= 255);
  if (!isGood) return { used: 1 + values.length };
  const [first = 0, second = 0, third = 0] = values;
  return { value: kind === 5 ? first : [first, second, third], used: 1 + wanted };
}
