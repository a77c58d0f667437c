import { expandTabs } from './cells.ts';
import { type Line, type Span, span } from './span.ts';

/** Returns the lines of a text. Tabs become spaces. */
export function spanLines(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of spans) {
    const [first = '', ...rest] = text.split('\n');
    if (first !== '') lines.at(-1)?.push(span(expandTabs(first), style));
    lines.push(...rest.map((part) => (part === '' ? [] : [span(expandTabs(part), style)])));
  }
  return lines;
}
