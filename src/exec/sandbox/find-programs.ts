import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isExecutable } from '../process/is-executable.ts';
import { leadsThrough } from './follow-path.ts';

/** Programs that sandboxes need, with the paths at which systems install them. */
export const SYSTEM_PROGRAMS = { bwrap: '/usr/bin/bwrap', perl: '/usr/bin/perl' } as const;

export interface ProgramSearch {
  /** Path that is tried first. Default: where systems install the program, for a program that sandboxes need. */
  readonly first?: string | undefined;
  /** Folders to search after that, separated by colons. */
  readonly path: string;
  /** Folders that commands can write to. A program in one of them could be written by the model. */
  readonly untrustedFolders: readonly string[];
}

/** Returns the programs of a name that can be run, best first. Programs in untrusted folders are left out. */
export function findPrograms(name: string, search: ProgramSearch): string[] {
  const system: Readonly<Record<string, string>> = SYSTEM_PROGRAMS;
  const { first = system[name], untrustedFolders } = search;
  const found = search.path
    .split(':')
    .filter(mayHavePrograms)
    .map((folder) => join(folder, name))
    // Most folders do not have the program, so that is asked first.
    .filter((program) => existsSync(program) && isExecutable(program) && !leadsThrough(program, untrustedFolders));
  return [...new Set([...(first !== undefined && isExecutable(first) ? [first] : []), ...found])];
}

/** Returns the folders of a search that commands cannot write to, and that no link of a command leads to. */
export function trustedFolders({ path, untrustedFolders }: ProgramSearch): string[] {
  return path.split(':').filter((folder) => mayHavePrograms(folder) && !leadsThrough(folder, untrustedFolders));
}

/**
 * Reports whether a folder of PATH may have programs of our own. Folders for the packages of a project, which npx puts
 * on PATH, do not: commands of an earlier run may have written to them.
 */
function mayHavePrograms(folder: string): boolean {
  return isAbsolute(folder) && !folder.split('/').includes('node_modules');
}
