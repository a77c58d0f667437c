import { type Line, lineText, type Span, span } from '../../text/span.ts';
import { isBefore, moved, moveTo, type PagerSize, pageRows, topOf } from './move.ts';
import type { Pager, PagerPlace } from './pager.ts';

/** Returns the pager at the next row that has the query, or at the one before. After the end the search begins anew. */
export function searchPager(pager: Pager, way: 'next' | 'previous', size: PagerSize): Pager {
  const pattern = patternOf(pager.search.query);
  if (pattern === null) return { ...pager, note: 'nothing to search for: /' };
  const from = pager.search.found ?? topOf(pager, size);
  const isFirst = pager.search.found === null;
  const found = findFrom(pager, pattern, { from, way, isFirst }, size);
  if (found === null) {
    const note = pager.hasBefore ? 'not found here; earlier parts are being read' : 'not found';
    return { ...pager, note, wantsBefore: pager.wantsBefore || pager.hasBefore };
  }
  const isAround = !isFirst && (way === 'next' ? !isBefore(from, found) : !isBefore(found, from));
  const note = isAround ? (way === 'next' ? 'from the start' : 'from the end') : '';
  return shownAt({ ...pager, search: { ...pager.search, found }, note }, found, size);
}

/** Returns the pager with a place on its page. A place that is on the page already does not move it. */
function shownAt(pager: Pager, place: PagerPlace, size: PagerSize): Pager {
  const top = topOf(pager, size);
  const isOnPage = !isBefore(place, top) && isBefore(place, moved(pager, top, pageRows(size), size));
  return isOnPage ? pager : moveTo(pager, moved(pager, place, -Math.floor(pageRows(size) / 3), size), size);
}

interface SearchStart {
  readonly from: PagerPlace;
  readonly way: 'next' | 'previous';
  /** Whether the row itself counts. */
  readonly isFirst: boolean;
}

function findFrom(pager: Pager, pattern: RegExp, start: SearchStart, { columns }: PagerSize): PagerPlace | null {
  const { from, way, isFirst } = start;
  const count = pager.blocks.length;
  const word = wordOf(pager.search.query);
  const step = way === 'next' ? 1 : -1;
  // The block of the start is looked at twice: after the start first, before it at last.
  for (let distance = 0; distance <= count; distance += 1) {
    const block = (((from.block + step * distance) % count) + count) % count;
    const source = pager.blocks[block];
    if (source === undefined || (source.isVerbatim && !source.text().toLowerCase().includes(word))) continue;
    const rows = source.render(Math.max(1, columns));
    const counts = (row: number) => {
      if (distance > 0) return true;
      return (isFirst && row === from.row) || (way === 'next' ? row > from.row : row < from.row);
    };
    const matches = (line: Line, row: number) => counts(row) && lineText(line).search(pattern) !== -1;
    const row = way === 'next' ? rows.findIndex(matches) : rows.findLastIndex(matches);
    if (row !== -1) return { block, row };
  }
  return null;
}

/** Returns the longest word of a query. A block of text without it is not rendered for the search. */
function wordOf(query: string): string {
  const words = query.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

/** Returns the pattern of a query. Without capital letters they make no difference. */
function patternOf(query: string): RegExp | null {
  if (query === '') return null;
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), /\p{Lu}/u.test(query) ? 'g' : 'gi');
}

/** Returns a row in which each match of the query stands in reverse. */
export function markMatches(line: Line, query: string, isFound: boolean): Line {
  const pattern = patternOf(query);
  if (pattern === null) return line;
  const places = [...lineText(line).matchAll(pattern)].map(
    ({ index, 0: text }) => [index, index + text.length] as const,
  );
  if (places.length === 0) return line;
  const look = isFound ? { inverse: true, bold: true } : { inverse: true };
  const marked: Span[] = [];
  let start = 0;
  for (const { text, style } of line) {
    let at = 0;
    const add = (end: number, more: object) => {
      if (end > at) marked.push(span(text.slice(at, end), { ...style, ...more }));
      at = Math.max(at, end);
    };
    for (const [from, to] of places) {
      add(Math.min(text.length, from - start), {});
      add(Math.min(text.length, to - start), look);
    }
    add(text.length, {});
    start += text.length;
  }
  return marked;
}
