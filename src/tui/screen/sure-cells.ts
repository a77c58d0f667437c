import { cellWidth, graphemeWidth } from '../../text/cells.ts';
import { graphemes } from '../../text/graphemes.ts';
import { type Line, lineText, type Span, span } from '../../text/span.ts';

/** Characters other than those of whose width every terminal has our opinion: letters, kana, Han and Hangul. */
const UNSURE =
  /[^\x20-\x7e\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0391-\u03c9\u0401-\u045f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fef\uac00-\ud7a3]/;

/** Reports whether a text has the width that `cellWidth` returns on every terminal. */
export const isSureText = (text: string): boolean => !UNSURE.test(text);

/** Returns the place of the first character of unsure width; Infinity if there is none. */
export function firstUnsure(text: string): number {
  const at = text.search(UNSURE);
  return at === -1 ? Infinity : at;
}

/**
 * Returns a row that takes one row of the terminal, cut where it is too wide. A terminal that does not know a grapheme shows
 * its characters one by one, so the cells of these count.
 */
export function fitLine(line: Line, columns: number): Line {
  const text = lineText(line);
  if (isSureText(text) && cellWidth(text) <= columns) return line;
  const fitting: Span[] = [];
  let left = columns;
  for (const part of line) {
    let end = 0;
    for (const grapheme of graphemes(part.text)) {
      left -= cellsApart(grapheme);
      if (left < 0) break;
      end += grapheme.length;
    }
    fitting.push(end === part.text.length ? part : span(part.text.slice(0, end), part.style));
    if (left < 0) break;
  }
  return fitting;
}

function cellsApart(grapheme: string): number {
  let apart = 0;
  for (const character of grapheme) apart += graphemeWidth(character);
  return Math.max(apart, graphemeWidth(grapheme));
}

/**
 * Returns the rows that a row takes at least after the terminal became `columns` wide and wrapped it. A grapheme of unsure
 * width counts as one cell: a count that is too high would erase rows above the live region.
 */
export function wrappedRows(line: Line, columns: number): number {
  let rows = 1;
  let used = 0;
  for (const grapheme of graphemes(lineText(line))) {
    const width = isSureText(grapheme) ? graphemeWidth(grapheme) : Math.min(1, graphemeWidth(grapheme));
    if (used + width > columns) {
      rows += 1;
      used = 0;
    }
    used += width;
  }
  return rows;
}
