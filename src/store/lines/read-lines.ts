import { readSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { LineBlock, StoredLine } from '../../base/thread-store.ts';
import { type FilePart, type LinePosition, readAt } from './lines-back.ts';

const BLOCK_BYTES = 256 * 1024;
const BLOCKS_AT_ONCE = 16;
const SCAN_BYTES = 1024 * 1024;
const SCANS_AT_ONCE = 4;
const LINE_FEED = 0x0a;

/**
 * Yields the complete lines of a part of a file. Bytes after the last line feed are not a line. Only a line feed ends a
 * line: U+2028 and U+2029, at which `node:readline` also splits, may occur inside a JSON text. The bytes of a line
 * belong to a block that is reused, so they are valid until the next line is requested.
 */
export async function* readLines(part: FilePart, blockBytes?: number): AsyncGenerator<StoredLine, void, undefined> {
  for (const line of linesIn(part, blockBytes)) {
    if (line) yield line;
    // Lets other work run while a long file is read.
    else await nextRound();
  }
}

/** Does the same synchronously. Yields undefined from time to time, so that the caller can let other work run. */
export function* linesIn(part: FilePart, blockBytes = BLOCK_BYTES): Generator<StoredLine | undefined, void, undefined> {
  const { path, fd, from, to } = part;
  const block = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(0, to - from)));
  const numberOf = createCount(part);
  let pieces: Buffer[] = [];
  let index = 0;
  let blocks = 0;
  for (let position = from; position < to; ) {
    const read = readSync(fd, block, 0, Math.min(block.length, to - position), position);
    if (read === 0) return;
    position += read;
    const bytes = block.subarray(0, read);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const last = bytes.subarray(start, end);
      yield new FileLine(path, pieces.length === 0 ? last : Buffer.concat([...pieces, last]), ++index, numberOf);
      pieces = [];
      start = end + 1;
    }
    if (start < read) pieces.push(Buffer.from(bytes.subarray(start)));
    if (++blocks % BLOCKS_AT_ONCE === 0) yield undefined;
  }
}

/**
 * Yields the same lines in blocks, as many as fit into the buffer. Most lines of a long file are only looked at: a
 * reader of blocks finds them without an object for each. The buffer grows to the longest line.
 */
export function* blocksIn(part: FilePart, blockBytes = SCAN_BYTES): Generator<LineBlock | undefined, void, undefined> {
  const { path, fd, from, to } = part;
  const numberAt = createLineCounter(fd);
  let buffer = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(0, to - from)));
  // Bytes of a line whose end was not read yet.
  let kept = 0;
  let blocks = 0;
  for (let position = from; position < to; ) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer], 2 * kept);
    const read = readSync(fd, buffer, kept, Math.min(buffer.length - kept, to - position), position);
    if (read === 0) return;
    position += read;
    const feed = buffer.subarray(kept, kept + read).lastIndexOf(LINE_FEED);
    const end = kept + feed;
    kept += read;
    if (feed < 0) continue;
    const start = position - kept;
    yield {
      label: path,
      bytes: buffer.subarray(0, end),
      get number() {
        return numberAt(start);
      },
    };
    buffer.copyWithin(0, end + 1, kept);
    kept -= end + 1;
    if (++blocks % SCANS_AT_ONCE === 0) yield undefined;
  }
}

/** Reads the line at a position. Its bytes stay valid. */
export function lineAt({ part, start, end }: LinePosition<FilePart>): StoredLine {
  const bytes = Buffer.allocUnsafe(end - 1 - start);
  readAt(part.fd, bytes, start, bytes.length);
  return new FileLine(part.path, bytes, 1, createCount({ ...part, from: start }));
}

/** A line of a part of a file. Its number is computed only when requested, because many lines may precede the part. */
class FileLine implements StoredLine {
  readonly label: string;
  readonly bytes: Buffer;
  readonly #index: number;
  readonly #numberOf: (index: number) => number;

  constructor(label: string, bytes: Buffer, index: number, numberOf: (index: number) => number) {
    this.label = label;
    this.bytes = bytes;
    this.#index = index;
    this.#numberOf = numberOf;
  }

  get number(): number {
    return this.#numberOf(this.#index);
  }
}

function createCount({ fd, from }: FilePart): (index: number) => number {
  let before: number | undefined;
  return (index) => {
    before ??= countLines(fd, from);
    return before + index;
  };
}

/** Returns a function for the number of the line at a position. Later positions continue the count. */
function createLineCounter(fd: number): (position: number) => number {
  let [before, counted] = [0, 0];
  return (position) => {
    before += countLines(fd, position, counted);
    counted = position;
    return before + 1;
  };
}

/** Counts the line feeds of a file before a position. */
export function countLines(fd: number, to: number, from = 0): number {
  const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, to - from));
  let count = 0;
  for (let position = from; position < to; ) {
    const read = readSync(fd, block, 0, Math.min(block.length, to - position), position);
    if (read === 0) break;
    position += read;
    const bytes = block.subarray(0, read);
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  }
  return count;
}
