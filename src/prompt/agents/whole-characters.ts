/** Returns the bytes without a character that is cut in two at the end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  // A character has at most three bytes after its first.
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start])) start--;
  return lengthFrom(bytes[start]) > bytes.length - start ? bytes.subarray(0, start) : bytes;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * Returns the number of bytes of a character that begins with this byte. 1 for a byte that cannot begin a character.
 */
function lengthFrom(byte: number | undefined): number {
  if (byte === undefined || byte < 0xc2 || byte > 0xf4) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
