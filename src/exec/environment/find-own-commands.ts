import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnCommands } from '../process/command-environment.ts';
import { isExecutable } from '../process/is-executable.ts';

/** Greatest depth of a module in the package: dist/program/exec, src/app/thread. */
const LEVELS = 3;

/**
 * Returns the programs of the installation to which a module in the folder `from` belongs. Returns undefined where
 * there are none, as in a program that bundles this one.
 */
export function findOwnCommands(from: string | undefined): OwnCommands | undefined {
  let root = from ?? '/';
  for (let level = 0; level < LEVELS; level++) {
    root = dirname(root);
    const folder = join(root, 'bin/path');
    const isHere = existsSync(join(root, 'bin/oxbow')) && isExecutable(join(folder, 'apply_patch'));
    // PATH separates its folders by colons.
    if (isHere) return folder.includes(':') ? undefined : { folder, node: process.execPath };
  }
  return undefined;
}
