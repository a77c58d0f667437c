import type { CommandItem } from '../../base/event.ts';
import { shownCommand } from '../../shell/shown-command.ts';
import { cellWidth } from '../../text/cells.ts';
import { outputLines } from '../../text/output-lines.ts';
import { type Line, span } from '../../text/span.ts';
import { muted } from './command-rows.ts';
import { boundSpan, cutRow } from './safe-row.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

/** A command that runs. */
export interface RunningCommand extends Pick<CommandItem, 'argv' | 'by'> {
  /** Output so far, or its end. */
  readonly output: string;
  readonly elapsedMs: number;
}

const OUTPUT_ROWS = 5;
/** As much of an output as its last rows are taken from. */
const TAIL_CHARS = 8192;

/** Returns the rows of a command that runs: its first line with the seconds so far, and the last rows of its output. */
export function liveCommand(command: RunningCommand, options: ViewOptions, maxRows: number): Line[] {
  if (maxRows < 1) return [];
  const { argv, by, output, elapsedMs } = command;
  const columns = Math.max(1, options.columns);
  const { dot, more } = signsOf(options);
  const [first = '', ...rest] = shownCommand(argv).trimEnd().split('\n');
  const time = elapsedMs < 1000 ? '' : ` ${dot} ${Math.floor(elapsedMs / 1000)} s`;
  const mark = span(by === 'user' ? '! ' : '$ ', { bold: true, color: 'accent' });
  const title: Line = [mark, boundSpan(rest.length === 0 ? first : `${first} ${more}`)];
  const room = columns - cellWidth(time);
  const titleRow = room < 8 ? cutRow(title, columns) : [...cutRow(title, room), span(time, { color: 'muted' })];
  const shown = Math.min(OUTPUT_ROWS, maxRows - 1);
  const tail = shown === 0 ? [] : outputLines(output.slice(-TAIL_CHARS)).slice(-shown);
  return [titleRow, ...tail.map((line) => cutRow(muted(line), columns))];
}
