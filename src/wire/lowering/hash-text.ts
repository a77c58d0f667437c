/**
 * Returns a 53-bit hash of a text. Different seeds yield independent numbers. The hash is not for secrets: a
 * cryptographic hash would have to be loaded first.
 */
export function hashText(text: string, seed: number): number {
  let high = 0x2545f491 ^ seed;
  let low = 0x6c8e9cf5 ^ Math.imul(seed, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 15;
    low = Math.imul(low ^ unit, 0xc2b2ae35);
    low ^= low >>> 13;
  }
  low = Math.imul(low ^ (high >>> 11), 0x27d4eb2f);
  high = Math.imul(high ^ (low >>> 9), 0x165667b1);
  low ^= high >>> 16;
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}
