import { graphemeWidth } from './cells.ts';
import { graphemes } from './graphemes.ts';
import { type Line, type Span, span } from './span.ts';
import { lineWidth } from './wrap.ts';

/**
 * Returns the rows of one line. A row ends where the terminal does, so that no blank is dropped. `first` and `rest` stand in
 * front of the first row and of the others, and have the same width.
 */
export function breakLine(line: Line, columns: number, first: Line = [], rest: Line = []): Line[] {
  const width = Math.max(1, columns - lineWidth(first));
  const rows: Span[][] = [[...first]];
  let used = 0;
  for (const { text, style } of line) {
    let fitting = '';
    for (const grapheme of graphemes(text)) {
      const cells = graphemeWidth(grapheme);
      if (used + cells > width && used > 0) {
        if (fitting !== '') rows.at(-1)?.push(span(fitting, style));
        rows.push([...rest]);
        fitting = '';
        used = 0;
      }
      fitting += grapheme;
      used += cells;
    }
    if (fitting !== '') rows.at(-1)?.push(span(fitting, style));
  }
  return rows;
}
