import type { Pager, PagerPlace } from './pager.ts';

/** The size of a page, with the row of the status. */
export interface PagerSize {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the number of rows that show the document. */
export const pageRows = ({ rows }: PagerSize): number => Math.max(1, rows - 1);

/** Returns the top of the page as it is now: at the end if the page follows it, and inside the document. */
export function topOf(pager: Pager, size: PagerSize): PagerPlace {
  const end = endTop(pager, size);
  if (pager.isAtEnd) return end;
  const top = { ...pager.top, row: Math.min(pager.top.row, Math.max(0, rowCount(pager, pager.top.block, size) - 1)) };
  return isBefore(end, top) ? end : top;
}

/** Returns the pager with a page that is moved by a number of rows, up if it is negative. */
export function moveBy(pager: Pager, count: number, size: PagerSize): Pager {
  return moveTo(pager, moved(pager, topOf(pager, size), count, size), size);
}

/** Returns the pager with a page that begins at a row, or at the last page. Asks for earlier blocks near the start. */
export function moveTo(pager: Pager, place: PagerPlace, size: PagerSize): Pager {
  const end = endTop(pager, size);
  const isAtEnd = !isBefore(place, end);
  const top = isAtEnd ? end : place;
  const isNearStart = top.block === 0 && top.row < pageRows(size);
  return { ...pager, top, isAtEnd, wantsBefore: pager.wantsBefore || (pager.hasBefore && isNearStart) };
}

/** Returns the place a number of rows away, or the first or last row. Only the blocks between are rendered. */
export function moved(pager: Pager, from: PagerPlace, count: number, size: PagerSize): PagerPlace {
  return count < 0 ? movedUp(pager, from, -count, size) : movedDown(pager, from, count, size);
}

function movedUp(pager: Pager, from: PagerPlace, count: number, size: PagerSize): PagerPlace {
  let { block, row } = from;
  let left = count;
  while (left > row) {
    left -= row + 1;
    block -= 1;
    if (block < 0) return START;
    row = rowCount(pager, block, size) - 1;
  }
  return { block, row: row - left };
}

function movedDown(pager: Pager, from: PagerPlace, count: number, size: PagerSize): PagerPlace {
  let { block, row } = from;
  let left = count;
  for (;;) {
    const below = rowCount(pager, block, size) - 1 - row;
    if (left <= below) return { block, row: row + left };
    if (block + 1 >= pager.blocks.length) return lastPlace(pager, size);
    left -= below + 1;
    block += 1;
    row = 0;
  }
}

const START: PagerPlace = { block: 0, row: 0 };

function lastPlace(pager: Pager, size: PagerSize): PagerPlace {
  let block = pager.blocks.length - 1;
  while (block > 0 && rowCount(pager, block, size) === 0) block -= 1;
  return block < 0 ? START : { block, row: Math.max(0, rowCount(pager, block, size) - 1) };
}

/** Returns the top of the last page. */
function endTop(pager: Pager, size: PagerSize): PagerPlace {
  return movedUp(pager, lastPlace(pager, size), pageRows(size) - 1, size);
}

const rowCount = ({ blocks }: Pager, block: number, { columns }: PagerSize): number =>
  blocks[block]?.render(Math.max(1, columns)).length ?? 0;

/** Reports whether a place stands above another one. */
export const isBefore = (place: PagerPlace, other: PagerPlace): boolean =>
  place.block < other.block || (place.block === other.block && place.row < other.row);
