import { cellWidth } from '../../text/cells.ts';
import { lineText, span } from '../../text/span.ts';
import { wrapSpans } from '../../text/wrap.ts';

const TAB_COLUMNS = 8;

/**
 * Returns a text in rows of at most `columns` columns. Every character stays, except that tabs become spaces. A row that
 * is too long is broken wherever it ends.
 */
export function breakText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => breakLine(line, columns));
}

function breakLine(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of line) {
    const shown = character === '\t' ? ' '.repeat(TAB_COLUMNS - (width % TAB_COLUMNS)) : character;
    const more = cellWidth(shown);
    if (width + more > columns && row !== '') {
      rows.push(row);
      row = '';
      width = 0;
    }
    // A tab at the end of a row needs no more spaces than the row has columns.
    row += character === '\t' ? shown.slice(0, columns - width) : shown;
    width += more;
  }
  return [...rows, row];
}

/** Returns a sentence in rows of at most `columns` columns, broken between words where that is possible. */
export function wrapWords(text: string, columns: number): string[] {
  return wrapSpans([span(text)], columns).map(lineText);
}
