import { cellWidth } from '../../text/cells.ts';
import { graphemes } from '../../text/graphemes.ts';
import { type ColorDepth, renderLine } from '../../text/render-line.ts';
import { type Line, lineText, type SpanStyle, span } from '../../text/span.ts';
import { firstUnsure } from './sure-cells.ts';

/** Part of a row that has to be written, and the column where it begins. */
export interface RowChange {
  readonly column: number;
  readonly bytes: string;
}

const ERASE_TO_END = '\u001b[K';

/**
 * Returns the change that makes one row of the screen another, from the first cell that differs; undefined if none does. The
 * change begins before the first character of unsure width, since the column of any cell after it is unsure too.
 */
export function changeOfRow(before: Line, after: Line, depth: ColorDepth): RowChange | undefined {
  if (before === after) return undefined;
  const [old, next] = [lineText(before), lineText(after)];
  const same = sameCharacters(before, after);
  if (same === old.length && same === next.length) return undefined;
  const unsure = Math.min(firstUnsure(old), firstUnsure(next));
  // A mark cannot be written apart from the character that it stands on.
  const isMark = [old, next].some((text) => joins(text, unsure));
  const start = same < unsure ? same : unsure - (isMark ? 1 : 0);
  // Erasing comes first: after a row that fills the terminal the cursor stands on the last cell.
  const mustErase = unsure !== Infinity || cellWidth(old) > cellWidth(next);
  const bytes = renderLine(lineFrom(after, start), depth);
  return { column: cellWidth(next.slice(0, start)), bytes: `${mustErase ? ERASE_TO_END : ''}${bytes}` };
}

/** Reports whether the character at a place is one with the character before it. */
const joins = (text: string, at: number) => at > 0 && (graphemes(text.slice(at - 1, at + 2))[0]?.length ?? 0) > 1;

/** Returns how many characters at the beginning of two rows are the same, with their styles. */
function sameCharacters(a: Line, b: Line): number {
  let same = 0;
  const [inA, inB] = [
    { part: 0, at: 0 },
    { part: 0, at: 0 },
  ];
  for (;;) {
    const [one, other] = [a[inA.part], b[inB.part]];
    if (!one || !other || !isSameStyle(one.style, other.style)) return same;
    const end = Math.min(one.text.length - inA.at, other.text.length - inB.at);
    let count = 0;
    while (count < end && one.text[inA.at + count] === other.text[inB.at + count]) count += 1;
    same += count;
    if (count < end) return same;
    advance(inA, one.text, count);
    advance(inB, other.text, count);
  }
}

function advance(place: { part: number; at: number }, { length }: string, count: number): void {
  place.at += count;
  if (place.at < length) return;
  place.part += 1;
  place.at = 0;
}

const isSameStyle = (a: SpanStyle, b: SpanStyle) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Returns a row without its first characters. */
function lineFrom(line: Line, start: number): Line {
  let left = start;
  return line.flatMap(({ text, style }) => {
    const rest = text.slice(left);
    left = Math.max(0, left - text.length);
    return rest === '' ? [] : [span(rest, style)];
  });
}
