import { breakLine } from '../../text/break-line.ts';
import type { Line } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';

/** A part of the document of a pager, such as an entry or some lines of an output. */
export interface PagerBlock {
  readonly key: string;
  /** Returns the rows of the block, none wider than `columns`. Called only for blocks near the page. */
  render(columns: number): readonly Line[];
  /** Returns the text that is copied or opened in an editor. */
  text(): string;
  /** Whether the rows have no word that the text does not have, so that the text can be searched instead. */
  readonly isVerbatim?: true;
}

export interface PagerBlockSource {
  readonly key: string;
  /** Returns rows of any width. */
  readonly make: (columns: number) => readonly Line[];
  readonly text: () => string;
}

/** Returns a block that keeps its rows for the last width. Rows that are too wide are broken. */
export function createPagerBlock({ key, make, text }: PagerBlockSource): PagerBlock {
  let last: { readonly columns: number; readonly rows: readonly Line[] } | undefined;
  return {
    key,
    text,
    render(columns) {
      if (last?.columns !== columns) {
        const rows = make(columns).flatMap((row) => (lineWidth(row) > columns ? breakLine(row, columns) : [row]));
        last = { columns, rows };
      }
      return last.rows;
    },
  };
}

/** Lines of a block. A page needs few blocks then, and one block costs little. */
const LINES_OF_BLOCK = 100;

/** Returns blocks for a long text. `make` returns the rows of some of its lines. */
export function textBlocks(key: string, text: string, make: (lines: string, columns: number) => Line[]): PagerBlock[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return Array.from({ length: Math.ceil(lines.length / LINES_OF_BLOCK) }, (_, index) => {
    const part = lines.slice(index * LINES_OF_BLOCK, (index + 1) * LINES_OF_BLOCK).join('\n');
    const block = createPagerBlock({
      key: `${key}:${index}`,
      make: (columns) => make(part, columns),
      text: () => part,
    });
    return { ...block, isVerbatim: true };
  });
}
