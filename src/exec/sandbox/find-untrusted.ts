import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isExecutable } from '../process/is-executable.ts';
import type { ProgramSearch } from './find-programs.ts';
import { leadsThrough } from './follow-path.ts';

/**
 * Returns the place from which commands could decide what a program is; undefined where they cannot. A name without a
 * slash is looked up as a shell does it, and a folder before the one that has the program counts: a command could put a
 * program there at any time.
 */
export function findUntrusted(program: string, { path, untrustedFolders }: ProgramSearch): string | undefined {
  const isUntrusted = (place: string) => !isAbsolute(place) || leadsThrough(place, untrustedFolders);
  if (program.includes('/')) return isUntrusted(program) ? program : undefined;
  for (const folder of path.split(':')) {
    // Not joined as text: `..` after a link leads to the parent of its target.
    const candidate = `${folder}/${program}`;
    if (!isAbsolute(folder) || isUntrusted(candidate)) return folder || '.';
    if (existsSync(candidate) && isExecutable(candidate)) return undefined;
  }
  return undefined;
}
