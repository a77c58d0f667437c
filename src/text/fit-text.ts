import { cellWidth } from './cells.ts';
import { lineText, span } from './span.ts';
import { cutLine } from './wrap.ts';

/** Returns the text in exactly `columns` columns: filled with spaces, or cut with an ellipsis at its end. */
export function fitText(text: string, columns: number): string {
  const cut = cutText(text, columns);
  return `${cut}${' '.repeat(Math.max(0, columns - cellWidth(cut)))}`;
}

/** Returns the text in at most `columns` columns. */
export function cutText(text: string, columns: number): string {
  if (cellWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${lineText(cutLine([span(text)], columns - 1))}…`;
}
