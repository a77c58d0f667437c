import { readSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';

const BLOCK_BYTES = 256 * 1024;
const BLOCKS_AT_ONCE = 16;
const LINE_FEED = 0x0a;

/**
 * The whole lines of a part of an open file without their line feeds; what follows the last line feed is no line. Only a
 * line feed ends a line: the separators U+2028 and U+2029, at which `node:readline` also splits, may stand inside a JSON
 * text. The bytes are those of a block that is used again: they are good until the next line is asked for.
 */
export async function* readLines(
  fd: number,
  from: number,
  to: number,
  blockBytes = BLOCK_BYTES,
): AsyncGenerator<Buffer, void, undefined> {
  const block = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(0, to - from)));
  let pieces: Buffer[] = [];
  let blocks = 0;
  for (let position = from; position < to; ) {
    const read = readSync(fd, block, 0, Math.min(block.length, to - position), position);
    if (read === 0) return;
    position += read;
    const bytes = block.subarray(0, read);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const last = bytes.subarray(start, end);
      yield pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      pieces = [];
      start = end + 1;
    }
    if (start < read) pieces.push(Buffer.from(bytes.subarray(start)));
    // A long file must not keep everything else waiting.
    if (++blocks % BLOCKS_AT_ONCE === 0) await nextRound();
  }
}

/** How many line feeds stand in a file before a place. */
export function countLines(fd: number, to: number): number {
  const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, to));
  let count = 0;
  for (let position = 0; position < to; ) {
    const read = readSync(fd, block, 0, Math.min(block.length, to - position), position);
    if (read === 0) break;
    position += read;
    const bytes = block.subarray(0, read);
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  }
  return count;
}
