import { cellWidth } from '../../text/cells.ts';
import { graphemes, isAscii } from '../../text/graphemes.ts';
import { visible } from '../../text/visible.ts';
import { boundaryFrom, lineEndOf, lineStartOf } from './places.ts';

/** A row of a draft as it is shown: the ends of its text. */
export interface ShownRow {
  readonly start: number;
  readonly end: number;
}

/** Characters of a line that are wrapped at once. A longer line is several such parts, so a key costs the same in it. */
const PART = 1024;

const TAB = '    ';

/** Returns the text that is shown for a grapheme, and its cells. One that is wider than a row is shown by a dot. */
export function shownGrapheme(grapheme: string, columns: number): { readonly text: string; readonly width: number } {
  if (grapheme === '\t') return { text: TAB.slice(0, columns), width: Math.min(TAB.length, columns) };
  const text = visible(grapheme);
  const width = cellWidth(text);
  return width > columns ? { text: '·', width: 1 } : { text, width };
}

/** The rows of a draft at one width, as far as they were looked at. */
export interface Layout {
  readonly text: string;
  readonly columns: number;
  /** Parts of lines that are wrapped. */
  readonly parts: WrappedPart[];
  /** Lines whose ends are known, since to find the ends of a long line takes time. */
  readonly lines: ShownRow[];
}

/** Returns a layout, in which nothing is wrapped yet. */
export const layoutOf = (text: string, columns: number): Layout => ({
  text,
  columns: Math.max(1, columns),
  parts: [],
  lines: [],
});

/**
 * Returns the row in which the caret is shown. At the end of a line whose last row is full, the caret stands in a row of
 * its own.
 */
export function rowAt(layout: Layout, at: number): ShownRow {
  const { text, columns } = layout;
  const row = rowsAround(layout, at).findLast(({ start }) => start <= at) ?? { start: at, end: at };
  const isLineEnd = at === row.end && (at === text.length || text[at] === '\n');
  return isLineEnd && columnOf(layout, row, at) >= columns ? { start: at, end: at } : row;
}

/** Returns the row above another one. */
export function rowAbove(layout: Layout, row: ShownRow): ShownRow | undefined {
  if (row.start === 0) return undefined;
  return rowsAround(layout, row.start - 1).findLast(({ start }) => start < row.start);
}

/** Returns the row below another one. */
export function rowBelow(layout: Layout, row: ShownRow): ShownRow | undefined {
  const { text } = layout;
  if (row.end >= text.length) return undefined;
  const start = text[row.end] === '\n' ? row.end + 1 : row.end;
  return rowsAround(layout, start).find((other) => other.start === start);
}

/** Returns the place in a row that is nearest to a column, counted in cells. */
export function placeInRow({ text, columns }: Layout, { start, end }: ShownRow, column: number): number {
  let at = start;
  let used = 0;
  const isWrapped = end < text.length && text[end] !== '\n';
  for (const grapheme of graphemes(text.slice(start, end))) {
    const { width } = shownGrapheme(grapheme, columns);
    // The end of a wrapped row is the beginning of the next one.
    if (used + width > column || (isWrapped && at + grapheme.length >= end)) break;
    used += width;
    at += grapheme.length;
  }
  return at;
}

/** Returns the cells between the beginning of a row and a place in it. */
export function columnOf({ text, columns }: Layout, row: ShownRow, at: number): number {
  let used = 0;
  for (const grapheme of graphemes(text.slice(row.start, at))) used += shownGrapheme(grapheme, columns).width;
  return used;
}

interface WrappedPart extends ShownRow {
  readonly rows: readonly ShownRow[];
}

/** Returns the rows of the part of a line around a place. */
function rowsAround(layout: Layout, at: number): readonly ShownRow[] {
  const { text, columns, parts } = layout;
  const isEnd = at === text.length || text[at] === '\n';
  const known = parts.find(({ start, end }) => start <= at && (at < end || (at === end && isEnd)));
  if (known !== undefined) return known.rows;
  const part = partAround(layout, at);
  const shown = text.slice(part.start, part.end);
  const starts = isAscii(shown) ? asciiBreaks(shown, columns) : breaksOf(shown, columns);
  const rows = starts.map((start, index) => ({
    start: part.start + start,
    end: part.start + (starts[index + 1] ?? shown.length),
  }));
  parts.push({ ...part, rows });
  return rows;
}

function partAround(layout: Layout, at: number): ShownRow {
  const { text } = layout;
  const { start: from, end: to } = lineAround(layout, at);
  const cut = (index: number) => (index <= 0 ? from : Math.min(to, boundaryFrom(text, from + index * PART)));
  let index = Math.floor((at - from) / PART);
  if (at < cut(index)) index -= 1;
  const [start, end] = [cut(index), cut(index + 1)];
  // A place at the very end belongs to the last part that has text.
  if (start === end && index > 0) return { start: cut(index - 1), end };
  return { start, end };
}

function lineAround({ text, lines }: Layout, at: number): ShownRow {
  const known = lines.find(({ start, end }) => start <= at && at <= end);
  if (known !== undefined) return known;
  const line = { start: lineStartOf(text, at), end: lineEndOf(text, at) };
  lines.push(line);
  return line;
}

/** Returns where the rows of a text of one cell a character begin. Rows end behind a space where there is one. */
function asciiBreaks(text: string, columns: number): number[] {
  const starts = [0];
  let start = 0;
  while (start + columns < text.length) {
    const end = start + columns;
    const space = text.lastIndexOf(' ', end - 1);
    start = space >= start ? space + 1 : end;
    starts.push(start);
  }
  return starts;
}

function breaksOf(text: string, columns: number): number[] {
  const starts = [0];
  let [at, used] = [0, 0];
  /** The last place behind a space in this row, and the cells since then. */
  let [space, usedSince] = [0, 0];
  for (const grapheme of graphemes(text)) {
    const { width } = shownGrapheme(grapheme, columns);
    if (used + width > columns) {
      const start = space > (starts.at(-1) ?? 0) ? space : at;
      used = start === at ? 0 : usedSince;
      starts.push(start);
      // A word may be as long as a row: then the row ends again in front of this grapheme.
      if (used + width > columns) {
        starts.push(at);
        used = 0;
      }
    }
    at += grapheme.length;
    used += width;
    usedSince += width;
    if (grapheme === ' ') [space, usedSince] = [at, 0];
  }
  return starts;
}
