import { cellWidth } from '../../text/cells.ts';
import { type Line, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { cutLine } from '../../text/wrap.ts';
import { isBefore, moved, type PagerSize, pageRows, topOf } from './move.ts';
import type { Pager, PagerPlace } from './pager.ts';
import { markMatches } from './search.ts';

/** Returns the rows of the screen: the page, and the status at the bottom. */
export function pagerRows(pager: Pager, size: PagerSize): Line[] {
  if (size.rows < 1) return [];
  const page = size.rows === 1 ? [] : shownRows(pager, size);
  return [...page, statusRow(pager, size)];
}

function shownRows(pager: Pager, size: PagerSize): Line[] {
  const most = pageRows(size);
  const { query, found } = pager.search;
  const rows: Line[] = [];
  let { block, row } = topOf(pager, size);
  while (rows.length < most && block < pager.blocks.length) {
    const lines = pager.blocks[block]?.render(Math.max(1, size.columns)) ?? [];
    for (const line of lines.slice(row, row + most - rows.length)) {
      rows.push(markMatches(line, query, found?.block === block && found.row === row));
      row += 1;
    }
    block += 1;
    row = 0;
  }
  while (rows.length < most) rows.push([]);
  return rows;
}

const KEYS = '/ search  c copy  o editor  q leave';

function statusRow(pager: Pager, size: PagerSize): Line {
  const columns = Math.max(1, size.columns);
  const { typed } = pager.search;
  if (typed !== null) return cutLine([span(shownQuery(typed, columns))], columns);
  const words = [pager.title, `${percentAt(pager, size)}%`, ...(pager.note === '' ? [KEYS] : [pager.note])].join('  ');
  return cutLine([span(visible(words).replace(/[\n\t]/g, ' '), { inverse: true })], columns);
}

/** Returns the end of a query that is typed, as far as it fits with the caret behind it. */
function shownQuery(typed: string, columns: number): string {
  let shown = visible(typed).replace(/[\n\t]/g, ' ');
  while (shown !== '' && cellWidth(shown) > columns - 2) shown = shown.slice(1);
  return `/${shown}`;
}

/** Returns the place of the caret while a query is typed. */
export function pagerCaret(pager: Pager, size: PagerSize): { readonly row: number; readonly column: number } | null {
  const { typed } = pager.search;
  if (typed === null || size.rows < 1) return null;
  const column = cellWidth(shownQuery(typed, Math.max(1, size.columns)));
  return { row: size.rows - 1, column: Math.min(column, Math.max(0, size.columns - 1)) };
}

/** Returns the part of the document up to the end of the page, in blocks, since the rows of most are not known. */
function percentAt(pager: Pager, size: PagerSize): number {
  const count = pager.blocks.length;
  const last = moved(pager, topOf(pager, size), pageRows(size) - 1, size);
  const isEnd = !isBefore(last, endOf(pager, size));
  if (count === 0 || isEnd) return 100;
  const rows = pager.blocks[last.block]?.render(Math.max(1, size.columns)).length ?? 1;
  return Math.min(99, Math.floor((100 * (last.block + (last.row + 1) / Math.max(1, rows))) / count));
}

const endOf = (pager: Pager, size: PagerSize): PagerPlace =>
  moved(pager, { block: Math.max(0, pager.blocks.length - 1), row: 0 }, Infinity, size);
