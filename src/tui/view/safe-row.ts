import { expandTabs } from '../../text/cells.ts';
import { type Line, lineText, type Span, type SpanStyle, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { cutLine, lineWidth } from '../../text/wrap.ts';

/** A longer line is data rather than text for people. */
const MOST_CELLS = 2000;

/** Returns a text of a model, a command or a file as a span on one row, without control characters. */
export function safeSpan(text: string, style?: SpanStyle): Span {
  return span(expandTabs(visible(text.replace(/\r?\n/g, ' '))), style);
}

/** Returns a line of a command or a file as a span. A line of thousands of characters is cut. */
export function boundSpan(text: string, style?: SpanStyle): Span {
  const whole = safeSpan(text.slice(0, 2 * MOST_CELLS), style);
  const cut = lineText(cutLine([whole], MOST_CELLS));
  return cut.length < whole.text.length || text.length > 2 * MOST_CELLS ? span(`${cut} …`, whole.style) : whole;
}

/** Returns a row in at most `columns` cells. A row that is longer ends with a sign for the rest. */
export function cutRow(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  return columns < 1 ? [] : [...cutLine(line, columns - 1), span('…', { color: 'muted' })];
}
