import { createHash, timingSafeEqual } from 'node:crypto';
import type { Incoming } from './client-io.ts';

/** Whether a request shows one of the keys. Takes as long for a wrong key as for a right one. */
export function hasClientKey(incoming: Pick<Incoming, 'header'>, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  const shown = digest(shownKey(incoming));
  return keys.reduce((known, key) => timingSafeEqual(shown, digest(key)) || known, false);
}

function shownKey(incoming: Pick<Incoming, 'header'>): string {
  const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(incoming.header('authorization') ?? '') ?? [];
  return token ?? incoming.header('x-api-key')?.trim() ?? '';
}

/** Digests are of one length, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
