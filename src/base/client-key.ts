import { createHash, timingSafeEqual } from 'node:crypto';

/** The headers of a request. */
interface Headers {
  /** Returns the value of a header. `name` is in lower case. */
  header(name: string): string | undefined;
}

/**
 * Reports whether a request shows one of the keys, as `Authorization: Bearer KEY` or `X-API-Key`. A wrong key takes as
 * long as a right one. Without keys every request does.
 */
export function hasClientKey(request: Headers, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  const shown = digest(shownKey(request));
  return keys.reduce((known, key) => timingSafeEqual(shown, digest(key)) || known, false);
}

function shownKey(request: Headers): string {
  const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(request.header('authorization') ?? '') ?? [];
  return token ?? request.header('x-api-key')?.trim() ?? '';
}

/** Returns a digest: all digests have the same length, as the comparison requires. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
