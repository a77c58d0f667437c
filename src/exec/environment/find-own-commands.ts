import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnCommands } from '../process/command-environment.ts';
import { isExecutable } from '../process/is-executable.ts';

/** How deep in the package a module lies at most: dist/program/exec, src/app/thread. */
const LEVELS = 3;

/**
 * The programs of the installation that a module in the folder `from` is part of. Undefined where there are none, as in a
 * program that has this one bundled in.
 */
export function findOwnCommands(from: string | undefined): OwnCommands | undefined {
  let root = from ?? '/';
  for (let level = 0; level < LEVELS; level++) {
    root = dirname(root);
    const folder = join(root, 'bin/path');
    const isHere = existsSync(join(root, 'bin/oxbow')) && isExecutable(join(folder, 'apply_patch'));
    // A path is a list with colons.
    if (isHere) return folder.includes(':') ? undefined : { folder, node: process.execPath };
  }
  return undefined;
}
