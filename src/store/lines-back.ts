import { readSync } from 'node:fs';
import { HEAD_BYTES, type LineHead, lineHead } from './line-head.ts';

/** Some lines of an open file that follow each other. */
export interface Lines {
  readonly fd: number;
  /** Where a line begins. */
  readonly from: number;
  readonly to: number;
}

/** Where a line stands in its file, its line feed included. */
export interface Place<Part extends Lines = Lines> {
  readonly part: Part;
  readonly start: number;
  readonly end: number;
  /** Undefined: it must be parsed to know what it is. */
  readonly head: LineHead | undefined;
}

const BLOCK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * The whole lines of a part of a file, from its last to its first; what follows the last line feed is no line. Only one
 * block is held at a time, however long the lines are.
 */
export function* linesBack<Part extends Lines>(part: Part, blockBytes = BLOCK_BYTES): Generator<Place<Part>, void> {
  const { fd, from, to } = part;
  const block = Buffer.allocUnsafe(Math.min(blockBytes, to - from) + HEAD_BYTES);
  let end: number | undefined;
  for (let top = to; top > from; ) {
    const bottom = Math.max(from, top - blockBytes);
    // A line that begins at the end of the block has its head in the one behind it.
    const length = readAt(fd, block, bottom, Math.min(to, top + HEAD_BYTES) - bottom);
    for (let feed = lastFeed(block, top - bottom - 1); feed >= 0; feed = lastFeed(block, feed - 1)) {
      const start = feed + 1;
      if (end !== undefined) yield { part, start: bottom + start, end, head: lineHead(block, start, length) };
      end = bottom + start;
    }
    top = bottom;
    if (top === from && end !== undefined && end > from) {
      yield { part, start: from, end, head: lineHead(block, 0, length) };
    }
  }
}

/** Reads all of a part of a file. Throws when it is not there. */
export function readAt(fd: number, into: Buffer, position: number, length: number): number {
  let read = 0;
  while (read < length) {
    const count = readSync(fd, into, read, length - read, position + read);
    if (count === 0) throw new Error('the file became shorter while it was read');
    read += count;
  }
  return read;
}

function lastFeed(block: Buffer, before: number): number {
  return before < 0 ? -1 : block.lastIndexOf(LINE_FEED, before);
}
