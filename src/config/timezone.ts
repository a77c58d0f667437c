import { readlinkSync } from 'node:fs';
import type { Env } from './home.ts';

/** The name of the user's time zone. `Intl` knows it too, but its first use costs over 20 ms of start-up. */
export function findTimezone(env: Env): string {
  if (env.TZ) return env.TZ.replace(/^:/, '');
  try {
    const zone = readlinkSync('/etc/localtime').split('zoneinfo/')[1];
    if (zone) return zone;
  } catch {
    // No such link here: ask Intl.
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
