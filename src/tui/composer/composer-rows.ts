import { graphemes } from '../../text/graphemes.ts';
import { type Line, PLAIN, type Span, type SpanStyle, span } from '../../text/span.ts';
import type { Composer } from './composer.ts';
import type { Fold } from './fold.ts';
import { columnOf, layoutOf, rowAbove, rowAt, rowBelow, type ShownRow, shownGrapheme } from './layout.ts';

/** Rows of a draft, and the place of the caret in them. */
export interface ComposerRows {
  readonly rows: readonly Line[];
  readonly caret: { readonly row: number; readonly column: number };
}

/**
 * Returns at most `rows` rows of at most `columns` cells around the caret. Its time does not depend on the length of the
 * draft: only the shown rows are wrapped.
 */
export function composerRows(composer: Composer, columns: number, rows: number): ComposerRows {
  const layout = layoutOf(composer.text, columns);
  const middle = rowAt(layout, composer.caret);
  const most = Math.max(1, rows) - 1;
  const above = follow(middle, most, (row) => rowAbove(layout, row));
  const below = follow(middle, most, (row) => rowBelow(layout, row));
  const after = Math.min(below.length, Math.max(Math.floor(most / 2), most - above.length));
  const before = Math.min(above.length, most - after);
  const shown = [...above.slice(0, before).reverse(), middle, ...below.slice(0, after)];
  return {
    rows: shown.map((row) => lineOf(composer, row, layout.columns)),
    caret: { row: before, column: columnOf(layout, middle, composer.caret) },
  };
}

/** Reports whether the caret is in the first or the last row, from which Up and Down go to the history. */
export function isCaretAtEdge(composer: Composer, edge: 'first' | 'last', columns: number): boolean {
  const layout = layoutOf(composer.text, columns);
  return (edge === 'first' ? rowAbove : rowBelow)(layout, rowAt(layout, composer.caret)) === undefined;
}

function follow(from: ShownRow, most: number, next: (row: ShownRow) => ShownRow | undefined): ShownRow[] {
  const found: ShownRow[] = [];
  for (let row = next(from); row !== undefined && found.length < most; row = next(row)) found.push(row);
  return found;
}

const FOLD: SpanStyle = { color: 'accent' };
const MARKED: SpanStyle = { color: 'accent', inverse: true };
const WRITTEN: SpanStyle = { dim: true };

function lineOf(composer: Composer, { start, end }: ShownRow, columns: number): Line {
  const spans: Span[] = [];
  let at = start;
  for (const grapheme of graphemes(composer.text.slice(start, end))) {
    const { text } = shownGrapheme(grapheme, columns);
    const style = styleAt(composer, at) ?? (text === grapheme || grapheme === '\t' ? PLAIN : WRITTEN);
    const last = spans.at(-1);
    if (last?.style === style) spans[spans.length - 1] = span(last.text + text, style);
    else spans.push(span(text, style));
    at += grapheme.length;
  }
  return spans;
}

function styleAt({ folds, caret, isMarked }: Composer, at: number): SpanStyle | undefined {
  const fold = folds.find((found: Fold) => found.start <= at && at < found.end);
  if (fold === undefined) return undefined;
  return isMarked && fold === folds.findLast((found) => found.start < caret) ? MARKED : FOLD;
}
