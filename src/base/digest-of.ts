const encoder = new TextEncoder();
const bytes = new Uint8Array(16 * 1024);
const words = new Int32Array(bytes.buffer);

/** Returns a digest in the form that logs contain. */
export function digestText(digest: number): string {
  return digest.toString(36);
}

/**
 * Returns a 53-bit digest of a text and of the digest before it. The digest depends on every character. It is not
 * cryptographic.
 *
 * Works on four bytes at a time, because much of it runs before V8 has optimised the code and before the first request
 * is sent.
 */
export function digestOf(text: string, previous: number): number {
  let high = 0x2545f491 ^ Math.floor(previous / 0x100000000);
  let low = 0x6c8e9cf5 ^ (previous | 0);
  let rest = text;
  for (;;) {
    const { read, written } = encoder.encodeInto(rest, bytes);
    const count = (written + 3) >> 2;
    bytes.fill(0, written, count << 2);
    for (let index = 0; index < count; index++) {
      const word = words[index] ?? 0;
      high = Math.imul(high ^ word, 0x85ebca6b);
      high ^= high >>> 15;
      low = Math.imul(low ^ (word + index), 0xc2b2ae35);
      low ^= low >>> 13;
    }
    // Distinguishes a text from the same text with zeros at its end.
    low ^= written;
    if (read >= rest.length) break;
    rest = rest.slice(read);
  }
  low = Math.imul(low ^ (high >>> 11), 0x27d4eb2f);
  high = Math.imul(high ^ (low >>> 9), 0x165667b1);
  low ^= high >>> 16;
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}
