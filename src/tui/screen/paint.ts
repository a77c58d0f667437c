import { type ColorDepth, renderLine, safeText } from '../../text/render-line.ts';
import { type Line, span } from '../../text/span.ts';
import { changeOfRow } from './draw-row.ts';
import type { Caret, ScreenFrame, Size } from './frame.ts';
import { fitLine, wrappedRows } from './sure-cells.ts';

/** Part of the screen that is ours, as the terminal shows it. Committed rows are not in it: they belong to the terminal. */
export interface Painted {
  readonly size: Size;
  /** At least one row, which may be empty. The cursor stands in one of the rows. */
  readonly live: readonly Line[];
  readonly caret: Caret;
  readonly isCaretShown: boolean;
  /** The page on the alternate screen, above which the rest waits. */
  readonly page: { readonly size: Size; readonly rows: readonly Line[]; readonly caret: Caret } | null;
}

/** Ways in which terminals treat rows that became too wide for them. */
export interface Reflow {
  /** Whether the terminal wraps them. Else it cuts them. */
  readonly rows: boolean;
  /** Whether it does so with the row of the cursor too. */
  readonly caretRow: boolean;
}

export interface PaintOptions {
  readonly depth: ColorDepth;
  /** For a size other than before. Default: the terminal cuts rows. An error in this direction leaves rows behind, and erases none. */
  readonly reflow?: Reflow;
  /** Draws the live region, or the page, as if nothing of it were shown. */
  readonly isAnew?: boolean;
}

export interface PaintResult {
  readonly bytes: string;
  readonly after: Painted;
}

const CSI = '\u001b[';
const ERASE_BELOW = `${CSI}J`;
/**
 * Erases the row of the cursor and all below it, and leaves the cursor at its beginning. It erases the rest from the second
 * column on: from the first cell of the screen, tmux would put the rows into the scrollback.
 */
const ERASE_FROM_ROW = `\r${CSI}K${CSI}2G${CSI}J\r`;
const NO_REFLOW: Reflow = { rows: false, caretRow: false };

/** Returns the state of a terminal whose cursor stands at the beginning of an empty row. */
export const unpainted = (size: Size): Painted => ({
  size,
  live: [[]],
  caret: { row: 0, column: 0 },
  isCaretShown: true,
  page: null,
});

/**
 * Returns the bytes that bring a frame to the screen, and the state afterwards. The bytes move the cursor inside the live
 * region only, and scroll by line feeds at the bottom of the whole screen, so that nothing above is touched or lost.
 *
 * The terminal may have another size than we know, and have wrapped rows of the live region. Then the cursor goes up to a
 * row further below than meant, which leaves rows behind but loses none. It goes down by line feeds only. They scroll where
 * rows are missing, and they end a row that the terminal would join with the next one when it is wider again.
 */
export function paint(before: Painted, frame: ScreenFrame, size: Size, options: PaintOptions): PaintResult {
  const { bytes, after } =
    frame.kind === 'page' ? paintPage(before, frame, size, options) : paintInline(before, frame, size, options);
  const cursor = after.isCaretShown === before.isCaretShown ? '' : `${CSI}?25${after.isCaretShown ? 'h' : 'l'}`;
  const all = `${bytes}${cursor}`;
  // The terminal shows the frame as a whole. Terminals that do not know this mode ignore it.
  return { bytes: all === '' ? '' : `${CSI}?2026h${all}${CSI}?2026l`, after };
}

type InlineFrame = Extract<ScreenFrame, { readonly kind: 'inline' }>;
type PageFrame = Extract<ScreenFrame, { readonly kind: 'page' }>;

function paintInline(before: Painted, frame: InlineFrame, size: Size, options: PaintOptions): PaintResult {
  const { depth, isAnew = false } = options;
  const isOther = isAnew || !isSameSize(before.size, size);
  const leave = before.page === null ? '' : `${CSI}?1049l`;
  const erase = isOther ? eraseLive(before, size, options.reflow ?? NO_REFLOW) : '';
  const { live: shown, caret: cursor } = isOther ? unpainted(size) : before;
  const { live, caret } = fitLive(frame, size);
  const pen: Pen = { bytes: `${leave}${erase}`, row: cursor.row, bottom: shown.length - 1, depth };
  if (frame.commit.length > 0) drawCommit(pen, [...frame.commit.map(safeLine), ...live]);
  else drawRows(pen, shown, live);
  const row = frame.commit.length + caret.row;
  const isMoved = pen.bytes !== '' || row !== cursor.row || caret.column !== cursor.column;
  moveTo(pen, row);
  if (isMoved) pen.bytes += toColumn(caret.column);
  return { bytes: pen.bytes, after: { size, live, caret, isCaretShown: frame.caret !== null, page: null } };
}

/** Returns the bytes that erase the live region from its first row on, in a terminal that may have another size than before. */
function eraseLive({ live, caret, size: old }: Painted, size: Size, reflow: Reflow): string {
  const isNarrower = size.columns < old.columns;
  const rowsOf = (line: Line) => (reflow.rows && isNarrower ? wrappedRows(line, size.columns) : 1);
  const above = live.slice(0, caret.row).reduce((sum, line) => sum + rowsOf(line), 0);
  const own = reflow.caretRow && isNarrower ? Math.floor(caret.column / size.columns) : 0;
  return `${up(Math.min(above + own, size.rows - 1))}${ERASE_FROM_ROW}`;
}

/** Returns the rows of the live region that the screen can show: the last ones, and always the one with the caret. */
function fitLive({ live, caret }: InlineFrame, size: Size): Pick<Painted, 'live' | 'caret'> {
  const all = live.length === 0 ? [[]] : live;
  const at = Math.min(caret?.row ?? all.length - 1, all.length - 1);
  const first = Math.min(at, Math.max(0, all.length - size.rows));
  const column = Math.max(0, Math.min(caret?.column ?? 0, size.columns - 1));
  return {
    live: all.slice(first, first + size.rows).map((line) => fitLine(safeLine(line), size.columns)),
    caret: { row: at - first, column },
  };
}

/** Returns a row in the characters that the terminal gets for it, so that their cells can be counted. */
function safeLine(line: Line): Line {
  const isSafe = line.every((part) => safeText(part) === part.text);
  return isSafe ? line : line.map((part) => span(safeText(part), part.style));
}

/** Bytes so far, and the place of the cursor. Rows are counted from the first row of the live region of before. */
interface Pen {
  bytes: string;
  row: number;
  /** Last row that exists. Line feeds make the rows below it. */
  bottom: number;
  readonly depth: ColorDepth;
}

/** Draws rows over those of before, from the first changed cell of each. */
function drawRows(pen: Pen, shown: readonly Line[], rows: readonly Line[]): void {
  for (const [row, line] of rows.entries()) {
    const old = shown[row];
    const change = changeOfRow(old ?? [], line, pen.depth);
    if (old !== undefined && change === undefined) continue;
    moveTo(pen, row);
    if (old === undefined) pen.bytes += renderLine(line, pen.depth);
    else if (change !== undefined) pen.bytes += `${toColumn(change.column)}${change.bytes}`;
  }
  if (shown.length > rows.length) {
    moveTo(pen, rows.length);
    pen.bytes += `\r${ERASE_BELOW}`;
  }
}

/**
 * Draws rows for the scrollback and a live region below them, all whole and on cleared rows, so that they do not depend on
 * the rows of before, nor on the number of rows that the terminal makes of a wide one.
 */
function drawCommit(pen: Pen, rows: readonly Line[]): void {
  moveTo(pen, 0);
  pen.bytes += `${ERASE_FROM_ROW}${rows.map((line) => renderLine(line, pen.depth)).join('\r\n')}`;
  pen.row = rows.length - 1;
  pen.bottom = pen.row;
}

/** Moves the cursor to a row. Its column is known afterwards only if the row is new. */
function moveTo(pen: Pen, row: number): void {
  const existing = Math.min(row, pen.bottom);
  pen.bytes += existing < pen.row ? up(pen.row - existing) : '\n'.repeat(existing - pen.row);
  pen.bytes += '\r\n'.repeat(row - existing);
  pen.row = row;
  pen.bottom = Math.max(pen.bottom, row);
}

const up = (rows: number) => (rows > 0 ? `${CSI}${rows}A` : '');
const toColumn = (column: number) => (column === 0 ? '\r' : `${CSI}${column + 1}G`);

/** Paints on the alternate screen, where rows have fixed places and nothing scrolls. */
function paintPage(before: Painted, frame: PageFrame, size: Size, { depth, isAnew }: PaintOptions): PaintResult {
  const isShown = before.page !== null && isSameSize(before.page.size, size) && !isAnew;
  const old = isShown ? (before.page?.rows ?? []) : [];
  const rows = frame.rows.slice(0, size.rows).map((line) => fitLine(safeLine(line), size.columns));
  let bytes = before.page === null ? `${CSI}?1049h` : '';
  if (!isShown) bytes += `${toPlace(0, 0)}${ERASE_BELOW}`;
  for (let row = 0; row < Math.max(rows.length, old.length); row += 1) {
    const change = changeOfRow(old[row] ?? [], rows[row] ?? [], depth);
    if (change !== undefined) bytes += `${toPlace(row, change.column)}${change.bytes}`;
  }
  const { row = 0, column = 0 } = frame.caret ?? {};
  const caret = { row: Math.min(row, size.rows - 1), column: Math.min(column, size.columns - 1) };
  const isMoved = bytes !== '' || caret.row !== before.page?.caret.row || caret.column !== before.page.caret.column;
  if (isMoved) bytes += toPlace(caret.row, caret.column);
  return { bytes, after: { ...before, isCaretShown: frame.caret !== null, page: { size, rows, caret } } };
}

const toPlace = (row: number, column: number) => `${CSI}${row + 1};${column + 1}H`;

export const isSameSize = (a: Size, b: Size): boolean => a.columns === b.columns && a.rows === b.rows;
