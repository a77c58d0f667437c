import type { PagerBlock } from './pager-block.ts';

/** A row of the document: the number of its block, and its place in the block at the width of the moment. */
export interface PagerPlace {
  readonly block: number;
  readonly row: number;
}

/** A document on the whole screen. */
export interface Pager {
  readonly title: string;
  readonly blocks: readonly PagerBlock[];
  /** The first row of the page. */
  readonly top: PagerPlace;
  /** Whether the last row was on the page, so that the page follows rows that are added. */
  readonly isAtEnd: boolean;
  /** Whether the document has blocks before these. */
  readonly hasBefore: boolean;
  /** Whether those blocks are wanted now. Cleared by `prependBlocks`. */
  readonly wantsBefore: boolean;
  readonly search: PagerSearch;
  /** A word about the last key. */
  readonly note: string;
}

export interface PagerSearch {
  /** The text that is being typed. Null while the keys move the page. */
  readonly typed: string | null;
  /** The text that was searched last. Empty if there was none. */
  readonly query: string;
  /** The row that was found last. */
  readonly found: PagerPlace | null;
}

export interface PagerOptions {
  readonly title: string;
  readonly blocks: readonly PagerBlock[];
  readonly hasBefore: boolean;
  /** The end of the document that is shown first. */
  readonly from: 'start' | 'end';
}

/** Returns a pager. A page at the end is found when it is drawn, because that depends on the size. */
export function openPager({ title, blocks, hasBefore, from }: PagerOptions): Pager {
  return {
    title,
    blocks,
    top: from === 'start' ? { block: 0, row: 0 } : { block: blocks.length, row: 0 },
    isAtEnd: from === 'end',
    hasBefore,
    wantsBefore: hasBefore && from === 'end',
    search: { typed: null, query: '', found: null },
    note: '',
  };
}

/** Returns the pager with blocks before the others. The page stays where it is. */
export function prependBlocks(pager: Pager, blocks: readonly PagerBlock[], hasBefore: boolean): Pager {
  const moved = (place: PagerPlace) => ({ ...place, block: place.block + blocks.length });
  const { search, top } = pager;
  return {
    ...pager,
    blocks: [...blocks, ...pager.blocks],
    top: moved(top),
    search: { ...search, found: search.found && moved(search.found) },
    hasBefore,
    wantsBefore: false,
  };
}

/** Returns the pager with blocks after the others. A page at the end follows them. */
export function appendBlocks(pager: Pager, blocks: readonly PagerBlock[]): Pager {
  return { ...pager, blocks: [...pager.blocks, ...blocks] };
}
