import type { ColorRole, Line, Span, SpanColor, SpanStyle } from './span.ts';
import { visible } from './visible.ts';

/** Colours that a terminal has. `none` stands for a terminal without any attribute, and without links. */
export type ColorDepth = 'none' | '16' | '256' | 'true';

const ESCAPE = '\u001b';
const RESET = `${ESCAPE}[0m`;

/** Returns a row as the terminal gets it. Attributes and links end with the row. */
export function renderLine(line: Line, depth: ColorDepth): string {
  if (depth === 'none') return line.map(safeText).join('');
  let written = '';
  let codes = '';
  let link = '';
  for (const part of line) {
    const { link: nextLink = '', ...style } = part.style;
    const next = codesOf(style, depth);
    if (nextLink !== link) written += linkTo(nextLink);
    if (next !== codes) written += `${codes === '' ? '' : RESET}${next === '' ? '' : `${ESCAPE}[${next}m`}`;
    link = nextLink;
    codes = next;
    written += safeText(part);
  }
  return `${written}${codes === '' ? '' : RESET}${link === '' ? '' : linkTo('')}`;
}

/** Returns the text of a span. A span that was made by mistake from an unsafe text must not control the terminal either. */
export const safeText = ({ text }: Span) => (/\p{Cc}/u.test(text) ? visible(text).replace(/[\n\t]/g, ' ') : text);

const linkTo = (address: string) => `${ESCAPE}]8;;${address.replace(/[^\x21-\x7e]/gu, encoded)}${ESCAPE}\\`;

function encoded(character: string): string {
  try {
    return encodeURIComponent(character);
  } catch {
    // Half of a surrogate pair.
    return '%EF%BF%BD';
  }
}

/** Colours of meanings: those of the terminal, which fit its background. */
const ROLES: Readonly<Record<ColorRole, string>> = {
  accent: '36',
  added: '32',
  code: '36',
  comment: '2',
  error: '31',
  keyword: '35',
  link: '36',
  muted: '2',
  number: '33',
  removed: '31',
  string: '32',
  type: '36',
};

const ATTRIBUTES = [
  ['bold', '1'],
  ['dim', '2'],
  ['italic', '3'],
  ['underline', '4'],
  ['inverse', '7'],
  ['strike', '9'],
] as const;

function codesOf(style: SpanStyle, depth: ColorDepth): string {
  const codes: string[] = ATTRIBUTES.filter(([name]) => style[name]).map(([, code]) => code);
  if (style.color !== undefined) codes.push(colorCode(style.color, depth, 30));
  if (style.background !== undefined) codes.push(colorCode(style.background, depth, 40));
  return [...new Set(codes)].join(';');
}

/** Returns the code of a colour, as text if `base` is 30, behind the text if it is 40. */
function colorCode(color: SpanColor, depth: ColorDepth, base: 30 | 40): string {
  if (typeof color === 'string') return ROLES[color];
  if (typeof color !== 'number') {
    if (depth === 'true') return `${base + 8};2;${color.join(';')}`;
    return colorCode(inPalette(color), depth, base);
  }
  if (color < 8) return String(base + color);
  if (color < 16) return String(base + 60 + color - 8);
  return depth === '16' ? colorCode(nearestOf16(color), depth, base) : `${base + 8};5;${color}`;
}

/** Returns the number of the nearest colour in the cube of the palette, or of the nearest grey. */
function inPalette([red, green, blue]: readonly [number, number, number]): number {
  if (red === green && green === blue) return red < 8 ? 16 : red > 247 ? 231 : 232 + Math.floor((red - 8) / 10);
  const step = (value: number) => Math.round((value / 255) * 5);
  return 16 + 36 * step(red) + 6 * step(green) + step(blue);
}

function nearestOf16(color: number): number {
  if (color >= 232) return color < 238 ? 8 : color < 250 ? 7 : 15;
  const cube = color - 16;
  const levels = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  const brightest = Math.max(...levels);
  if (brightest === 0) return 0;
  const bits = levels.reduce((sum, level, bit) => sum + (level * 2 > brightest ? 1 << bit : 0), 0);
  return brightest > 3 ? bits + 8 : bits;
}
