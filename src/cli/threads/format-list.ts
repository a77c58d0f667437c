import type { ThreadSummary } from '../../app/threads/threads.ts';
import { cellWidth } from '../../text/cells.ts';
import { cutText, fitText } from '../../text/fit-text.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from '../print/style.ts';

export interface ListLayout {
  readonly style: Style;
  /** Width of the terminal. */
  readonly columns: number;
  readonly now: number;
  /** Whether to show the folders, which may differ. */
  readonly folders: boolean;
}

/** Length of the shortest part of an id that differs between threads of different milliseconds. */
const ID_CHARACTERS = 13;
const LEAST_TITLE = 8;

/** Returns threads as a table for a terminal. */
export function formatTable(threads: readonly ThreadSummary[], layout: ListLayout): string {
  const cells = threads.map((thread) => cellsOf(thread, layout));
  const headings = layout.folders ? ['THREAD', 'CHANGED', 'FOLDER'] : ['THREAD', 'CHANGED'];
  const widths = headings.map((heading, n) =>
    Math.max(...[heading, ...cells.map((row) => row[n] ?? '')].map(cellWidth)),
  );
  const [id = 0, changed = 0, folder = 0] = widths;
  if (layout.folders)
    widths[2] = Math.min(folder, Math.max(LEAST_TITLE, Math.floor((layout.columns - id - changed) / 3) - 2));
  const left = (row: readonly string[]) => row.map((cell, n) => `${fitText(cell, widths[n] ?? 0)}  `).join('');
  const rest = Math.max(LEAST_TITLE, layout.columns - widths.reduce((sum, width) => sum + width + 2, 0));
  const rows = threads.map((thread, n) => `${left(cells[n] ?? [])}${paintTitle(thread, rest, layout.style)}\n`);
  return `${layout.style.dim(`${left(headings)}TITLE`)}\n${rows.join('')}`;
}

function cellsOf({ id, changedAt, cwd }: ThreadSummary, { now, folders }: ListLayout): string[] {
  const cells = [id.slice(0, ID_CHARACTERS), relativeTime(changedAt, now)];
  return folders ? [...cells, oneLine(cwd ?? '')] : cells;
}

/** Returns threads for a pipe, one a line: id, time of the last change, folder and title, separated by tabs. */
export function formatLines(threads: readonly ThreadSummary[]): string {
  return threads
    .map((thread) => [thread.id, thread.changedAt, oneLine(thread.cwd ?? ''), titleOf(thread)].join('\t'))
    .map((line) => `${line}\n`)
    .join('');
}

function titleOf({ name, preview, note }: ThreadSummary): string {
  const title = name ?? preview;
  if (note === null) return oneLine(title ?? '');
  return oneLine(title === null ? note : `${title}: ${note}`);
}

function paintTitle(thread: ThreadSummary, columns: number, { bold, dim, red }: Style): string {
  const title = titleOf(thread);
  if (thread.note !== null) return red(cutText(title, columns));
  if (thread.name === null) return cutText(title, columns);
  const rest = columns - cellWidth(title) - 2;
  const preview = rest > LEAST_TITLE ? `  ${dim(cutText(oneLine(thread.preview ?? ''), rest))}` : '';
  return `${bold(cutText(title, columns))}${preview}`;
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}
