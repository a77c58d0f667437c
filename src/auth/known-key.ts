import { createHash, timingSafeEqual } from 'node:crypto';

/** Reports whether a key that a client shows is one of the keys. A wrong key takes as long as a right one. */
export function isKnownKey(shown: string, keys: readonly string[]): boolean {
  const wanted = digest(shown);
  return keys.reduce((known, key) => timingSafeEqual(wanted, digest(key)) || known, false);
}

/** Returns the key in a header `Authorization: Bearer KEY`; undefined if there is none. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
}

/** Returns a digest: all digests have the same length, as the comparison requires. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
