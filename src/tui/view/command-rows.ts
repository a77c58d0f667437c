import type { CommandItem } from '../../base/event.ts';
import { shownCommand } from '../../shell/shown-command.ts';
import { firstLine } from '../../text/first-line.ts';
import { outputLines } from '../../text/output-lines.ts';
import { type Line, type Span, type SpanStyle, span } from '../../text/span.ts';
import { cutLine, lineWidth, wrapSpans } from '../../text/wrap.ts';
import { foldNote } from './fold-note.ts';
import { boundSpan } from './safe-row.ts';
import { proseWidth, type ViewOptions } from './view-options.ts';

const MARK: SpanStyle = { bold: true, color: 'accent' };
const MUTED: SpanStyle = { color: 'muted' };
const ERROR: SpanStyle = { color: 'error' };

const SCRIPT_LINES = 6;
const HEAD_LINES = 3;
const TAIL_LINES = 3;
/** Characters of a long output from which its last lines are taken. */
const TAIL_CHARS = 16_384;
const SHOWN_TIME_MS = 1000;
const MOST_CELLS = 2000;

/** The parts of a command that ended. */
export interface CommandParts {
  readonly title: Line[];
  /** How it went. Empty if it went well and fast. */
  readonly end: Line[];
}

/** Returns the rows of a command that ended: its text, the ends of its output, and how it went if not well. */
export function commandRows(item: CommandItem, options: ViewOptions): Line[] {
  const { title, end } = commandParts(item, options, SCRIPT_LINES);
  return [...title, ...(item.status === 'declined' ? [] : outputRows(item.output, options)), ...end];
}

/** Returns the rows of a command around its output. `scriptLines` bounds the lines of a script. */
export function commandParts(item: CommandItem, options: ViewOptions, scriptLines: number): CommandParts {
  const title = commandTitle(item, options, scriptLines);
  if (item.status === 'declined') return { title, end: endRows('not run', ERROR, item, options) };
  const failed = item.status !== 'completed';
  const time = item.durationMs !== null && item.durationMs > SHOWN_TIME_MS ? seconds(item.durationMs) : '';
  const code = item.exitCode === null ? (failed ? 'failed' : '') : item.exitCode === 0 ? '' : `exit ${item.exitCode}`;
  const end = [code, time].filter((part) => part !== '').join(', ');
  const isQuiet = end === '' && item.reason === undefined;
  return { title, end: isQuiet ? [] : endRows(end, failed ? ERROR : MUTED, item, options) };
}

/** Returns the rows of the text of a command. They are not wrapped, so that they can be copied. */
function commandTitle({ argv, by }: Pick<CommandItem, 'argv' | 'by'>, options: ViewOptions, most: number): Line[] {
  const lines = shownCommand(argv).replace(/\n+$/, '').split('\n');
  const shown = lines.slice(0, most).map((line, index): Line => {
    if (index > 0) return [span('  '), boundSpan(line)];
    return [span(by === 'user' ? '!' : '$', MARK), span(' '), boundSpan(line)];
  });
  const hidden = lines.length - most;
  return hidden > 0 ? [...shown, foldNote(hidden, 'lines', 'Ctrl-O', options)] : shown;
}

/** Returns a time in seconds with one digit, or in minutes and seconds. */
export function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

function endRows(end: string, style: SpanStyle, { reason }: CommandItem, options: ViewOptions): Line[] {
  const why = reason === undefined ? '' : firstLine(reason.message);
  const text = [end, why].filter((part) => part !== '').join(': ');
  return wrapSpans([span(text, style)], proseWidth(options), { hanging: 2 });
}

/** Returns the first and the last lines of an output. */
export function outputRows(output: string, options: ViewOptions, head = HEAD_LINES, tail = TAIL_LINES): Line[] {
  if (output.length <= 2 * TAIL_CHARS) {
    const lines = outputLines(output);
    const hidden = lines.length - head - tail;
    if (hidden <= 1) return lines.map(muted);
    return folded(lines.slice(0, head), hidden, tail === 0 ? [] : lines.slice(-tail), options);
  }
  const first = outputLines(linesFrom(output, 0, head)).slice(0, head);
  const last = tail === 0 ? [] : outputLines(output.slice(-TAIL_CHARS)).slice(-tail);
  return folded(first, Math.max(1, lineCount(output) - head - tail), last, options);
}

function folded(head: readonly Line[], hidden: number, tail: readonly Line[], options: ViewOptions): Line[] {
  return [...head.map(muted), foldNote(hidden, 'lines', 'Ctrl-O', options), ...tail.map(muted)];
}

/** Returns a number of lines, at most as long as the beginning of a text that is looked at. */
function linesFrom(text: string, start: number, count: number): string {
  let end = start;
  for (let line = 0; line < count && end >= 0 && end < TAIL_CHARS; line += 1)
    end = text.indexOf('\n', end) + 1 || TAIL_CHARS;
  return text.slice(start, Math.min(end, TAIL_CHARS));
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return text.endsWith('\n') ? count - 1 : count;
}

/** Returns a line of output. Text without a colour of its own is muted, and thousands of cells are cut. */
export function muted(line: Line): Line {
  const bound = lineWidth(line) > MOST_CELLS ? [...cutLine(line, MOST_CELLS), span(' …')] : line;
  return bound.map(({ text, style }): Span => span(text, style.color === undefined ? { ...style, ...MUTED } : style));
}
