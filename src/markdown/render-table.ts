import type { Tokens } from 'marked';
import { type Line, type Span, span } from '../text/span.ts';
import { lineWidth, wrapSpans } from '../text/wrap.ts';
import { inlineSpans, type MarkdownLook } from './inline.ts';

const GAP = 2;
/** Cells that a shrunken column needs. */
const NARROWEST = 8;

type Alignment = 'center' | 'left' | 'right' | null;

/**
 * Returns the rows of a table. Wide columns shrink until the table fits, and their cells are wrapped. A table that would
 * be too narrow becomes a list of names and values for each row.
 */
export function renderTable(table: Tokens.Table, options: MarkdownLook & { readonly width: number }): Line[] {
  const header = table.header.map(({ tokens }) => inlineSpans(tokens, options, { bold: true }));
  const body = table.rows.map((row) => row.map(({ tokens }) => inlineSpans(tokens, options)));
  const wanted = header.map((_, column) =>
    Math.max(1, ...[header, ...body].map((row) => Math.max(...wrapSpans(row[column] ?? [], Infinity).map(lineWidth)))),
  );
  const widths = fittedWidths(wanted, options.width - GAP * (header.length - 1));
  if (widths === undefined) return asRecords(header, body, options.width);
  const align = (row: readonly Span[][]) => tableRow(row, widths, table.align);
  const rows = body.map(align);
  // Without blank rows, a wrapped cell would look like the next row.
  const isWrapped = rows.some((lines) => lines.length > 1);
  const rule = widths.map((width) => '─'.repeat(width)).join(' '.repeat(GAP));
  return [
    ...align(header),
    [span(rule, { color: 'muted' })],
    ...rows.flatMap((lines, index) => (isWrapped && index > 0 ? [[], ...lines] : lines)),
  ];
}

/** Returns the widths of the columns, which narrow columns keep. Undefined if the others would be too narrow. */
function fittedWidths(wanted: readonly number[], width: number): number[] | undefined {
  let left = width;
  let open = wanted.map((_, column) => column);
  const widths = [...wanted];
  while (open.length > 0) {
    const share = Math.floor(left / open.length);
    const narrow = open.filter((column) => (wanted[column] ?? 0) <= share);
    if (narrow.length === 0) {
      if (share < NARROWEST) return undefined;
      const extra = left - share * open.length;
      for (const [index, column] of open.entries()) widths[column] = share + (index < extra ? 1 : 0);
      return widths;
    }
    left -= narrow.reduce((sum, column) => sum + (wanted[column] ?? 0), 0);
    open = open.filter((column) => !narrow.includes(column));
  }
  return widths;
}

function tableRow(cells: readonly Span[][], widths: readonly number[], align: readonly Alignment[]): Line[] {
  const columns = widths.map((width, column) => wrapSpans(cells[column] ?? [], width));
  const height = Math.max(...columns.map((rows) => rows.length));
  return Array.from({ length: height }, (_, index) => {
    const row = columns.flatMap((rows, column) => {
      const isLast = column === columns.length - 1;
      const cell = aligned(rows[index] ?? [], widths[column] ?? 0, align[column] ?? null, isLast);
      return isLast ? cell : [...cell, span(' '.repeat(GAP))];
    });
    return withoutEndSpaces(row);
  });
}

function aligned(line: Line, width: number, align: Alignment, isLast: boolean): Line {
  const free = Math.max(0, width - lineWidth(line));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [...blank(before), ...line, ...blank(after)];
}

const blank = (cells: number): Line => (cells > 0 ? [span(' '.repeat(cells))] : []);

function withoutEndSpaces(line: Line): Line {
  const end = line.findLastIndex(({ text }) => text.trim() !== '');
  return line.slice(0, end + 1);
}

function asRecords(header: readonly Span[][], body: readonly Span[][][], width: number): Line[] {
  if (body.length === 0) return header.flatMap((name) => wrapSpans(name, width));
  return body.flatMap((row, index) => {
    const lines = header.flatMap((name, column) => {
      const value = row[column] ?? [];
      return wrapSpans([...name, span(': '), ...value], width, { hanging: 2 });
    });
    return index > 0 ? [[], ...lines] : lines;
  });
}
