import { readSync } from 'node:fs';
import { HEAD_BYTES, type LineHead, lineHead } from '../../log/line-head.ts';

/** Consecutive lines of an open file. */
export interface FileSpan {
  readonly fd: number;
  /** Position where a line begins. */
  readonly from: number;
  readonly to: number;
}

/** A span of a named file. */
export interface FilePart extends FileSpan {
  readonly path: string;
}

/** The position of a line in its file, including its line feed. */
export interface LinePosition<Span extends FileSpan = FileSpan> {
  readonly part: Span;
  readonly start: number;
  readonly end: number;
  /** Undefined if the line must be parsed to know what it is. */
  readonly head: LineHead | undefined;
}

const BLOCK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * Yields the positions of the complete lines of a span, from the last to the first. Bytes after the last line feed are
 * not a line. Only one block is in memory at a time, however long the lines are.
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
    // The head of a line that begins at the end of this block continues in the block after it.
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

/** Fills a buffer from a position of a file. Throws if the file is too short. */
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
