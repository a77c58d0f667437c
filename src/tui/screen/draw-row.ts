import { cellWidth, graphemeWidth } from '../../text/cells.ts';
import { graphemes } from '../../text/graphemes.ts';
import { type ColorDepth, renderLine } from '../../text/render-line.ts';
import { type Line, lineText, type Span, type SpanStyle, span } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { isSureText } from './sure-cells.ts';

/** Part of a row that has to be written, and the column where it begins. */
export interface RowChange {
  readonly column: number;
  readonly bytes: string;
}

const ERASE_TO_END = '\u001b[K';

/**
 * Returns the change that makes one row of the screen another, from the first cell that differs; undefined if none does. The
 * change begins before the first character of unsure width, since the column of any cell after it is unsure too.
 */
export function changeOfRow(before: Line, after: Line, depth: ColorDepth): RowChange | undefined {
  if (before === after) return undefined;
  const old = cellsOf(before);
  const next = cellsOf(after);
  const same = sameCells(old, next);
  if (same === old.length && same === next.length) return undefined;
  let start = next.slice(0, same).findIndex(({ text }) => !isSureText(text));
  if (start === -1) start = same;
  // A mark cannot be written apart from the character that it stands on.
  while (start > 0 && [old[start], next[start]].some((cell) => cell && graphemeWidth(cell.text) === 0)) start -= 1;
  const tail = joined(next.slice(start));
  const column = cellWidth(lineText(joined(next.slice(0, start))));
  // Erasing comes first: after a row that fills the terminal the cursor stands on the last cell.
  const mustErase =
    lineWidth(before) > lineWidth(after) || !isSureText(lineText(before)) || !isSureText(lineText(after));
  return { column, bytes: `${mustErase ? ERASE_TO_END : ''}${renderLine(tail, depth)}` };
}

interface Cell {
  readonly text: string;
  readonly style: SpanStyle;
}

const cellsOf = (line: Line): Cell[] =>
  line.flatMap(({ text, style }) => graphemes(text).map((grapheme) => ({ text: grapheme, style })));

/** Returns how many cells at the beginning of two rows are the same. */
function sameCells(a: readonly Cell[], b: readonly Cell[]): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && isSameCell(a[at], b[at])) at += 1;
  return at;
}

function isSameCell(a: Cell | undefined, b: Cell | undefined): boolean {
  if (a?.text !== b?.text) return false;
  return a?.style === b?.style || JSON.stringify(a?.style) === JSON.stringify(b?.style);
}

function joined(cells: readonly Cell[]): Line {
  const spans: Span[] = [];
  for (const { text, style } of cells) {
    const last = spans.at(-1);
    if (last?.style === style) spans[spans.length - 1] = span(last.text + text, style);
    else spans.push(span(text, style));
  }
  return spans;
}
