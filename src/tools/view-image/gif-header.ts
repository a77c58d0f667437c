const EXTENSION = 0x21;
const FRAME = 0x2c;

interface GifHeader {
  readonly width: number;
  readonly height: number;
  readonly animated: boolean;
}

/**
 * Reads the header of a GIF. A frame that is larger than the screen counts, because decoders allocate memory for it.
 */
export function readGif(bytes: Uint8Array): GifHeader | undefined {
  const signature = String.fromCharCode(...bytes.subarray(0, 6));
  if (bytes.length < 13 || (signature !== 'GIF87a' && signature !== 'GIF89a')) return undefined;
  let width = twoBytes(bytes, 6);
  let height = twoBytes(bytes, 8);
  let frames = 0;
  let at = 13 + colourTable(bytes[10]);
  while (at < bytes.length && frames < 2) {
    if (bytes[at] === EXTENSION) at = afterBlocks(bytes, at + 2);
    else if (bytes[at] === FRAME) {
      frames++;
      width = Math.max(width, twoBytes(bytes, at + 1) + twoBytes(bytes, at + 5));
      height = Math.max(height, twoBytes(bytes, at + 3) + twoBytes(bytes, at + 7));
      // The byte after the colour table is the width of the codes.
      at = afterBlocks(bytes, at + 10 + colourTable(bytes[at + 9]) + 1);
    } else break;
  }
  return { width, height, animated: frames > 1 };
}

/** Returns the length of a colour table in bytes, from its flags. */
function colourTable(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Returns the position after a list of blocks. Each block begins with its length, and an empty one is the last. */
function afterBlocks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += 1 + length;
  return at + 1;
}

function twoBytes(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256;
}
