import type { OpenBlock } from '../../markdown/push-markdown.ts';
import type { Line } from '../../text/span.ts';
import { markdownRows } from './markdown-rows.ts';
import { cutRow } from './safe-row.ts';
import type { ViewOptions } from './view-options.ts';

/** As much of an open block as is rendered for a frame, so that the time of a frame does not depend on its length. */
const MOST_CHARS = 4000;
/** A last line that is only a mark so far, which would turn the text before it into a heading for a moment. */
const LONE_MARK = /\n[ \t]*(?:[-=*+>|~`_]+|#+|\d+[.)]?)[ \t]*$/;

/** Returns the last rows of the open block of an answer, each at most as wide as the terminal. */
export function liveAnswer(open: OpenBlock, options: ViewOptions, maxRows: number): Line[] {
  const columns = Math.max(1, options.columns);
  if (maxRows < 1) return [];
  if (open.line !== undefined) return open.line.length === 0 ? [] : [cutRow(open.line, columns)];
  const source = open.source.length > MOST_CHARS ? tailOf(open.source) : open.source;
  const shown = open.kind === 'text' ? source.replace(LONE_MARK, '') : source;
  if (shown.trim() === '') return [];
  const rows = markdownRows({ ...open, source: shown }, { ...options, wrap: 'words' });
  return rows.slice(-maxRows).map((row) => cutRow(row, columns));
}

/** Returns the end of a text from a word on. */
function tailOf(text: string): string {
  const tail = text.slice(-MOST_CHARS);
  return tail.slice(tail.search(/\s/) + 1);
}
