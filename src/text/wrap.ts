import { cellWidth, graphemeWidth } from './cells.ts';
import { graphemes, isAscii } from './graphemes.ts';
import { type Line, type Span, span } from './span.ts';

export interface WrapOptions {
  /** Spaces, or their number, in front of the first row. */
  readonly indent?: Line | number;
  /** The same for the other rows. */
  readonly hanging?: Line | number;
}

/**
 * Returns rows of at most `width` cells. Breaks between words, and inside a word only if the word is longer than a row.
 * A grapheme is never split. A line feed in a text begins a new row. Spaces at a break are dropped.
 */
export function wrapSpans(spans: readonly Span[], width: number, options: WrapOptions = {}): Line[] {
  const rows = createRows(Math.max(1, width), options);
  for (const part of partsOf(spans)) {
    if (part.kind === 'break') endRow(rows, false);
    else if (part.kind === 'space') rows.spaces.push(part);
    else addWord(rows, part);
  }
  endRow(rows, false);
  return rows.done;
}

/** Returns the cells of a row. */
export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + cellWidth(text), 0);

/** Returns as much of a row as fits into the width. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cut: Span[] = [];
  let left = width;
  for (const { text, style } of line) {
    const fitting = headOf(text, left);
    if (fitting.text !== '') cut.push(span(fitting.text, style));
    left -= fitting.width;
    if (fitting.text.length < text.length) break;
  }
  return cut;
}

interface Part {
  readonly kind: 'word' | 'space' | 'break';
  readonly spans: Span[];
  readonly width: number;
}

/** Rows that are being filled. */
interface Rows {
  readonly width: number;
  /** Prefix of all rows but the first. */
  readonly rest: Line;
  readonly restWidth: number;
  readonly done: Line[];
  row: Span[];
  /** Cells of the row so far. */
  used: number;
  /** Spaces after the last word. */
  spaces: Part[];
  /** Whether the row begins at a break that the text does not have. */
  isBroken: boolean;
  /** Whether the row has nothing but its prefix. */
  isEmpty: boolean;
}

function createRows(width: number, { indent = 0, hanging = 0 }: WrapOptions): Rows {
  const fitting = (prefix: Line | number) => cutLine(prefixOf(prefix), Math.max(0, width - 2));
  const rest = fitting(hanging);
  const row = [...fitting(indent)];
  const start = { done: [], row, used: lineWidth(row), spaces: [], isBroken: false, isEmpty: true };
  return { width, rest, restWidth: lineWidth(rest), ...start };
}

function endRow(rows: Rows, isBroken: boolean): void {
  rows.done.push(merged(rows.row));
  rows.row = [...rows.rest];
  rows.used = rows.restWidth;
  rows.spaces = [];
  rows.isBroken = isBroken;
  rows.isEmpty = true;
}

function addPart(rows: Rows, { spans, width }: Part): void {
  rows.row.push(...spans);
  rows.used += width;
  rows.isEmpty = false;
}

function addWord(rows: Rows, word: Part): void {
  const { width, spaces, isBroken, isEmpty } = rows;
  const gaps = isBroken && isEmpty ? [] : spaces;
  const cells = gaps.reduce((sum, gap) => sum + gap.width, word.width);
  if (rows.used + cells <= width) for (const part of [...gaps, word]) addPart(rows, part);
  else if (isEmpty && rows.used + word.width <= width) addPart(rows, word);
  else if (word.width <= width - rows.restWidth) {
    endRow(rows, true);
    addPart(rows, word);
  } else addLongWord(rows, word);
  rows.spaces = [];
}

function addLongWord(rows: Rows, word: Part): void {
  if (!rows.isEmpty) endRow(rows, true);
  for (const { text, style } of word.spans) {
    let fitting = '';
    for (const grapheme of graphemes(text)) {
      const cells = graphemeWidth(grapheme);
      // A grapheme that is wider than a whole row has a row of its own.
      if (rows.used + cells > rows.width && !rows.isEmpty) {
        rows.row.push(span(fitting, style));
        fitting = '';
        endRow(rows, true);
      }
      fitting += grapheme;
      rows.used += cells;
      rows.isEmpty = false;
    }
    rows.row.push(span(fitting, style));
  }
}

const prefixOf = (prefix: Line | number): Line =>
  typeof prefix !== 'number' ? prefix : prefix > 0 ? [span(' '.repeat(prefix))] : [];

/** Returns the words, the spaces between them and the line feeds of a text. A word may consist of several spans. */
function partsOf(spans: readonly Span[]): Part[] {
  const parts: Part[] = [];
  let word: Span[] = [];
  const endWord = () => {
    if (word.length > 0) parts.push({ kind: 'word', spans: word, width: lineWidth(word) });
    word = [];
  };
  for (const { text, style } of spans) {
    for (const [piece] of text.matchAll(/\n|[ \t]+|[^ \t\n]+/g)) {
      if (piece === '\n' || piece[0] === ' ' || piece[0] === '\t') {
        endWord();
        const blank = ' '.repeat(piece.length);
        parts.push(piece === '\n' ? BREAK : { kind: 'space', spans: [span(blank, style)], width: piece.length });
        continue;
      }
      for (const [index, unit] of unitsOf(piece).entries()) {
        const before = word.at(-1)?.text ?? '';
        if (index > 0 || (before !== '' && breaksBetween(before, unit))) endWord();
        word.push(span(unit, style));
      }
    }
  }
  endWord();
  return parts;
}

const BREAK: Part = { kind: 'break', spans: [], width: 0 };

/** Scripts that have no spaces between words. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]/u;
/** Characters that do not begin a row, and characters that do not end one. */
const NOT_FIRST = /^[\p{Pe}\p{Pf}\p{M}、。，．・：；？！ー々〜…ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;?!]/u;
const NOT_LAST = /[\p{Ps}\p{Pi}]$/u;

/** Returns the parts of a text without spaces between which a row may end. */
function unitsOf(text: string): string[] {
  if (isAscii(text) || !SPACELESS.test(text)) return [text];
  const units: string[] = [];
  let unit = '';
  let last = '';
  for (const grapheme of graphemes(text)) {
    if (last !== '' && breaksBetween(last, grapheme)) {
      units.push(unit);
      unit = '';
    }
    unit += grapheme;
    last = grapheme;
  }
  return [...units, unit];
}

/** Reports whether a row may end between two texts, of which the last and the first character count. */
function breaksBetween(before: string, after: string): boolean {
  const last = String.fromCodePoint(before.codePointAt(before.length - (isLow(before) ? 2 : 1)) ?? 0);
  const next = String.fromCodePoint(after.codePointAt(0) ?? 0);
  return (SPACELESS.test(last) || SPACELESS.test(next)) && !NOT_FIRST.test(next) && !NOT_LAST.test(last);
}

function isLow(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return text.length > 1 && unit >= 0xdc00 && unit <= 0xdfff;
}

/** Returns the longest beginning of a text that fits into the width, and its cells. */
function headOf(text: string, width: number): { readonly text: string; readonly width: number } {
  if (isAscii(text)) {
    const head = text.slice(0, Math.max(0, width));
    return { text: head, width: head.length };
  }
  let end = 0;
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const cells = graphemeWidth(grapheme);
    if (used + cells > width) break;
    used += cells;
    end += grapheme.length;
  }
  return { text: text.slice(0, end), width: used };
}

/** Returns a row in which neighbours with the same style are one span. */
function merged(row: readonly Span[]): Line {
  const spans: Span[] = [];
  for (const next of row) {
    const last = spans.at(-1);
    if (last && last.style === next.style) spans[spans.length - 1] = span(last.text + next.text, last.style);
    else spans.push(next);
  }
  return spans;
}
