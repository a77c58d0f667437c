import { graphemes } from '../../text/graphemes.ts';
import { isBefore, moveBy, moved, moveTo, type PagerSize, pageRows, topOf } from './move.ts';
import type { Pager, PagerPlace } from './pager.ts';
import { searchPager } from './search.ts';

/** A key, as far as a pager looks at it. */
export interface PagerKey {
  readonly name: string;
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
}

/** Something outside the pager that a key asks for. */
export type PagerRequest =
  | { readonly type: 'close' }
  /** The text goes to the clipboard. */
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'edit'; readonly text: string };

export interface UpdatedPager {
  readonly pager: Pager;
  readonly request: PagerRequest | null;
}

/** Returns the pager after a key. A key renders at most the blocks that the page moves over. */
export function updatePager(pager: Pager, key: PagerKey, size: PagerSize): UpdatedPager {
  const quiet = { ...pager, note: '' };
  if (pager.search.typed !== null) return { pager: typeQuery(quiet, pager.search.typed, key, size), request: null };
  const name = keyName(key);
  const move = MOVES.get(name);
  if (move) return { pager: move(quiet, size), request: null };
  return REQUESTS.get(name)?.(quiet, size) ?? { pager: quiet, request: null };
}

/** Returns the name of a key in the tables: `ctrl-c`, `page_up`, `N`. */
const keyName = ({ name, text, ctrl, alt }: PagerKey) =>
  ctrl ? `ctrl-${name}` : alt ? `alt-${name}` : name === 'text' ? text : name;

type PagerMove = (pager: Pager, size: PagerSize) => Pager;

const by =
  (count: (page: number) => number): PagerMove =>
  (pager, size) =>
    moveBy(pager, count(pageRows(size)), size);

const up = by(() => -1);
const down = by(() => 1);
// One row of the page before stays, to find the place again.
const pageUp = by((page) => -Math.max(1, page - 1));
const pageDown = by((page) => Math.max(1, page - 1));
const halfUp = by((page) => -Math.max(1, Math.floor(page / 2)));
const halfDown = by((page) => Math.max(1, Math.floor(page / 2)));
const start: PagerMove = (pager, size) => moveTo(pager, { block: 0, row: 0 }, size);
const end: PagerMove = (pager) => ({ ...pager, isAtEnd: true });

// Maps, since a key may type any text, also the name of a member that every object has.
const MOVES: ReadonlyMap<string, PagerMove> = new Map(
  Object.entries({
    up,
    k: up,
    down,
    j: down,
    enter: down,
    page_up: pageUp,
    b: pageUp,
    'ctrl-b': pageUp,
    page_down: pageDown,
    ' ': pageDown,
    f: pageDown,
    'ctrl-f': pageDown,
    u: halfUp,
    'ctrl-u': halfUp,
    d: halfDown,
    'ctrl-d': halfDown,
    home: start,
    g: start,
    end,
    G: end,
    '/': (pager) => ({ ...pager, search: { ...pager.search, typed: '' } }),
    n: (pager, size) => searchPager(pager, 'next', size),
    N: (pager, size) => searchPager(pager, 'previous', size),
  }),
);

const close = (pager: Pager): UpdatedPager => ({ pager, request: { type: 'close' } });

const REQUESTS: ReadonlyMap<string, (pager: Pager, size: PagerSize) => UpdatedPager> = new Map(
  Object.entries({
    q: close,
    escape: close,
    'ctrl-c': close,
    c: (pager, size) => withBlock(pager, 'copy', size),
    o: (pager, size) => withBlock(pager, 'edit', size),
  }),
);

function withBlock(pager: Pager, type: 'copy' | 'edit', size: PagerSize): UpdatedPager {
  const text = pager.blocks[currentBlock(pager, size)]?.text() ?? '';
  if (text === '') return { pager: { ...pager, note: 'nothing to copy here' }, request: null };
  const [first = ''] = text.trim().split('\n');
  const note = type === 'copy' ? `copied: ${first.slice(0, 40)}` : '';
  return { pager: { ...pager, note }, request: { type, text } };
}

/** Returns the block that was found last if it is on the page, else the first that begins on it, else the one at its top. */
function currentBlock(pager: Pager, size: PagerSize): number {
  const top = topOf(pager, size);
  const next = moved(pager, top, pageRows(size), size);
  const { found } = pager.search;
  const isOnPage = (place: PagerPlace) => !isBefore(place, top) && !isBefore(next, place);
  if (found !== null && isOnPage(found)) return found.block;
  const begins = top.row === 0 ? top.block : top.block + 1;
  return begins < pager.blocks.length && isOnPage({ block: begins, row: 0 }) ? begins : top.block;
}

function typeQuery(pager: Pager, typed: string, key: PagerKey, size: PagerSize): Pager {
  const withTyped = (text: string | null): Pager => ({ ...pager, search: { ...pager.search, typed: text } });
  const name = keyName(key);
  if (name === 'escape' || name === 'ctrl-c') return withTyped(null);
  if (name === 'backspace') return withTyped(typed === '' ? null : graphemes(typed).slice(0, -1).join(''));
  if (name !== 'enter') return key.name === 'text' ? withTyped(typed + key.text) : pager;
  const query = typed === '' ? pager.search.query : typed;
  const found = typed === '' ? pager.search.found : null;
  return searchPager({ ...pager, search: { typed: null, query, found } }, 'next', size);
}
