import type { AuthFile } from '../auth-file.ts';
import { claimsOf } from './claims.ts';

/** Time before the end of a token at which it is refreshed, so that it lasts for a request. */
const MARGIN_MS = 5 * 60_000;
/** Difference between two clocks that is not one: a sign-in takes this long. */
const SAME_CLOCK_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;

export interface DueOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly refreshAfterDays: number;
}

/**
 * Reports whether the access token of a sign-in has to be refreshed: it ends soon, or it does not say when and the last
 * refresh was long ago.
 */
export function isDue(auth: AuthFile, { now, refreshAfterDays }: DueOptions): boolean {
  const end = endOf(auth);
  const refreshed = refreshedAt(auth);
  if (end === undefined) return refreshed === undefined || now - refreshed >= refreshAfterDays * DAY_MS;
  return now >= end.at - end.margin;
}

/** Returns the time at which the access token ends, by the clock of this machine. Undefined if it does not say. */
export function endOf(auth: AuthFile): { readonly at: number; readonly margin: number } | undefined {
  const { exp, iat } = claimsOf(auth.tokens?.access_token ?? '');
  if (typeof exp !== 'number') return undefined;
  if (typeof iat !== 'number' || iat >= exp) return { at: exp * 1000, margin: MARGIN_MS };
  // A token that lives for minutes must not be refreshed for every request.
  const margin = Math.min(MARGIN_MS, ((exp - iat) * 1000) / 2);
  // The token was made when it came. The difference of the two times is that of the clocks: the issuer's and ours.
  const skew = (refreshedAt(auth) ?? iat * 1000) - iat * 1000;
  return { at: exp * 1000 + (Math.abs(skew) > SAME_CLOCK_MS ? skew : 0), margin };
}

function refreshedAt({ last_refresh }: AuthFile): number | undefined {
  const time = Date.parse(last_refresh ?? '');
  return Number.isNaN(time) ? undefined : time;
}
