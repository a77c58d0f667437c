import { readSync } from 'node:fs';
import { HEAD_BYTES, type LineHead, lineHead } from '../../log/line-head.ts';

/** Lines of an open file that follow each other. */
export interface FileSpan {
  readonly fd: number;
  /** The beginning of a line. */
  readonly from: number;
  readonly to: number;
}

/** A span of a named file. */
export interface FilePart extends FileSpan {
  readonly path: string;
}

/** The place of a line in its file, its line feed included. */
export interface LinePosition<Span extends FileSpan = FileSpan> {
  readonly part: Span;
  readonly start: number;
  readonly end: number;
  /** Undefined when the line must be parsed to know what it is. */
  readonly head: LineHead | undefined;
}

const BLOCK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * Returns the places of the whole lines of a span, from the last to the first; bytes behind the last line feed are not a
 * line. Only one block is held at a time, however long the lines are.
 */
export function* linesBack<Span extends FileSpan>(
  part: Span,
  blockBytes = BLOCK_BYTES,
): Generator<LinePosition<Span>, void, undefined> {
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

/** Fills a buffer from a place of a file. Throws when the file ends before. */
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
