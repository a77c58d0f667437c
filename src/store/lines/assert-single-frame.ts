import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Throws if a file is anything but one whole frame of zstd. Without an error, Node 22 unpacks a frame that breaks
 * off as far as it goes, and every Node leaves out what follows the first frame. Only lengths are checked: the unpacking
 * finds other damage.
 */
export function assertSingleFrame(path: string): void {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const end = endOfFrame(file, size);
    if (end > size) throw new Error('it breaks off');
    if (end < size) throw new Error('Node reads not all of it, but `zstd -d` may');
  } finally {
    closeSync(file);
  }
}

const MAGIC = 0xfd_2f_b5_28;
/** Lengths of a header without its optional fields, and of the longest header. */
const SHORTEST = 5;
const LONGEST = 18;

/** Returns the place after the first frame, which is beyond the end of a file that breaks off. It is 0 without a frame. */
function endOfFrame(file: number, size: number): number {
  const header = readAt(file, 0, LONGEST);
  if (size < SHORTEST) return SHORTEST;
  if (header.readUInt32LE() !== MAGIC) return 0;
  const flags = header.readUInt8(4);
  let at = SHORTEST + lengthOfFields(flags);
  while (at < size) {
    const block = readAt(file, at, 3).readUIntLE(0, 3);
    const isRepeated = ((block >> 1) & 3) === 1;
    at += 3 + (isRepeated ? 1 : block >> 3);
    const isLast = (block & 1) === 1;
    if (isLast) return at + lengthOfChecksum(flags);
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns bytes of a file. Bytes beyond its end are zeros. */
function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, at);
  return bytes;
}

/** Returns the length of the fields after the flags: the window, the id of a dictionary and the size of the content. */
function lengthOfFields(flags: number): number {
  const hasWindow = (flags & 32) === 0;
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  const content = [hasWindow ? 0 : 1, 2, 4, 8][flags >> 6] ?? 0;
  return (hasWindow ? 1 : 0) + dictionary + content;
}

const lengthOfChecksum = (flags: number) => ((flags & 4) === 0 ? 0 : 4);
