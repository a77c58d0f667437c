import { cellWidth } from '../../text/cells.ts';
import { type Line, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { cutLine } from '../../text/wrap.ts';
import type { List, ListRow } from '../list.ts';

/** Returns the rows of a list around the selected one, at most `most`. */
export function listRows(list: List, columns: number, most: number): Line[] {
  const title = list.kind === 'choose' && most > 1 ? [titleRow(list)] : [];
  const room = Math.max(1, most - title.length);
  const start = Math.max(0, Math.min(list.selected - Math.floor(room / 2), list.rows.length - room));
  const shown = list.rows.slice(start, start + room);
  const width = Math.min(labelWidth(shown), Math.max(8, Math.floor(columns * 0.6)));
  const rows = shown.map((row, index) => choiceRow(row, start + index === list.selected, width));
  const empty =
    list.kind === 'choose' && rows.length === 0 ? [[span(list.isLoading ? '  …' : '  nothing fits', MUTED)]] : [];
  return [...title, ...rows, ...empty].slice(0, most).map((row) => cutLine(row, columns));
}

const MUTED = { color: 'muted' } as const;

function titleRow({ title, query, rows, all, isLoading, isAsked }: Extract<List, { kind: 'choose' }>): Line {
  if (isAsked) return [span(oneLine(title), { bold: true }), span('  arrows and Enter choose', MUTED)];
  const count = isLoading ? '…' : `${rows.length}${rows.length === all.length ? '' : ` of ${all.length}`}`;
  const typed =
    query === '' ? [span('  type to search', MUTED)] : [span('  '), span(oneLine(query), { underline: true })];
  return [span(oneLine(title), { bold: true }), span(`  ${count}`, MUTED), ...typed];
}

/** Returns a text for a row: a line feed or a tab would move the cursor. */
const oneLine = (text: string) => visible(text).replace(/[\n\t]/g, ' ');

const labelWidth = (rows: readonly ListRow[]) => Math.max(0, ...rows.map(({ label }) => cellWidth(oneLine(label))));

function choiceRow({ label, detail = '' }: ListRow, isSelected: boolean, width: number): Line {
  const mark = isSelected ? span('› ', { color: 'accent', bold: true }) : span('  ');
  const shown = cutLine([span(oneLine(label), isSelected ? { bold: true } : {})], width);
  const gap = ' '.repeat(Math.max(0, width - shown.reduce((sum, { text }) => sum + cellWidth(text), 0)) + 2);
  return [mark, ...shown, ...(detail === '' ? [] : [span(gap), span(oneLine(detail), MUTED)])];
}
