import type { LineBlock, ThreadCatalogue } from './thread-store.ts';

const LINE_FEED = 0x0a;

/** Calls a function with the bounds of each line of a block, and the index of the line in the block. */
export function eachLine({ bytes }: LineBlock, see: (start: number, end: number, index: number) => void): void {
  let start = 0;
  let index = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    see(start, end, index++);
    start = end + 1;
  }
  see(start, bytes.length, index);
}

/** Reads all lines of a thread in blocks that are as large as the store can make them. */
export function blocksOf(store: ThreadCatalogue, id: string): AsyncIterable<LineBlock> {
  return store.readBlocks?.(id) ?? store.read(id);
}
