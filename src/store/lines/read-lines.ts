import { read, readSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { LineBlock, StoredLine } from '../../base/thread-store.ts';
import { type FilePart, type LinePosition, readAt } from './lines-back.ts';

const BLOCK_BYTES = 256 * 1024;
const BLOCKS_AT_ONCE = 16;
const SCAN_BYTES = 1024 * 1024;
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
 * reader of blocks finds them without an object for each. The next block is read while the caller looks at this one.
 * The buffer grows to the longest line.
 */
export async function* readBlocks(part: FilePart, blockBytes = SCAN_BYTES): AsyncGenerator<LineBlock, void, undefined> {
  const { path, fd, from, to } = part;
  const numberAt = createLineCounter(fd);
  const allocate = (bytes: number) => Buffer.allocUnsafe(Math.min(bytes, Math.max(0, to - from)));
  let [buffer, next] = [allocate(blockBytes), allocate(blockBytes)];
  // Bytes of a line whose end was not read yet, at the beginning of the buffer.
  let kept = 0;
  let position = from;
  let reading = startRead(fd, buffer, kept, to, position);
  try {
    for (let read = await reading; read > 0; read = await reading) {
      const start = position - kept;
      position += read;
      const feed = buffer.subarray(kept, kept + read).lastIndexOf(LINE_FEED);
      const end = feed < 0 ? -1 : kept + feed;
      const rest = buffer.subarray(end + 1, kept + read);
      const size = rest.length === buffer.length ? 2 * buffer.length : buffer.length;
      if (next.length < size) next = allocate(size);
      kept = rest.copy(next);
      reading = startRead(fd, next, kept, to, position);
      if (end >= 0) {
        yield {
          label: path,
          bytes: buffer.subarray(0, end),
          get number() {
            return numberAt(start);
          },
        };
      }
      [buffer, next] = [next, buffer];
    }
  } finally {
    // The caller closes the file next.
    await reading.catch(() => {});
  }
}

const readFileAt = promisify(read);

/** Reads up to `to` into the rest of a buffer. The caller learns of a failure when it waits for the bytes. */
function startRead(fd: number, buffer: Buffer, at: number, to: number, position: number): Promise<number> {
  const length = Math.min(buffer.length - at, to - position);
  const reading = length > 0 ? readFileAt(fd, buffer, at, length, position) : Promise.resolve({ bytesRead: 0 });
  const count = reading.then(({ bytesRead }) => bytesRead);
  count.catch(() => {});
  return count;
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
