import { readdirSync, readFileSync } from 'node:fs';

/** Returns the processes that sleep for a time which only one test uses. */
export function survivors(seconds: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`sleep\0${seconds}`);
      } catch {
        return false;
      }
    });
}
