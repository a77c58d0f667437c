import { isAbsolute, join } from 'node:path';
import { isInside } from '../../base/guarded-paths.ts';
import { isExecutable } from '../process/is-executable.ts';
import { canonical } from './writable-paths.ts';

/** Programs that sandboxes need, with the paths at which systems install them. */
export const SYSTEM_PROGRAMS = { bwrap: '/usr/bin/bwrap', perl: '/usr/bin/perl' } as const;

export interface ProgramSearch {
  /** Path that is tried first. Default: where systems install the program. */
  readonly first?: string | undefined;
  /** Folders to search after that, separated by colons. */
  readonly path: string;
  /** Folders that commands can write to. A program in one of them could be written by the model. */
  readonly untrustedFolders: readonly string[];
}

/** Returns the programs of a name that can be run, best first. Programs in untrusted folders are left out. */
export function findPrograms(name: keyof typeof SYSTEM_PROGRAMS, search: ProgramSearch): string[] {
  const { first = SYSTEM_PROGRAMS[name], path, untrustedFolders } = search;
  const untrusted = untrustedFolders.map((folder) => canonical(folder) ?? folder);
  const isTrusted = (program: string) => !untrusted.some((folder) => isInside(program, folder));
  const found = path
    .split(':')
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .filter((program) => isTrusted(program) && isTrusted(canonical(program) ?? program));
  return [...new Set([first, ...found])].filter(isExecutable);
}
