import { type Line, span } from '../../text/span.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

/** Returns the row in the place of rows that are not shown: how many, and the key that shows them. */
export function foldNote(
  count: number,
  unit: 'lines' | 'rows' | 'files',
  key: string,
  options: Pick<ViewOptions, 'unicode'>,
): Line {
  const number = String(count).replace(/\B(?=(\d{3})+$)/g, ',');
  const text = `${signsOf(options).more} ${number} ${count === 1 ? unit.slice(0, -1) : unit}, ${key}`;
  return [span(text, { color: 'muted' })];
}
