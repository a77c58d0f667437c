import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { type HeldFolder, openFolder } from './open-folder.ts';
import { permissions } from './remember-tree.ts';

const OWNER = 0o700;

/**
 * Gives the owner access to all folders on the way to a path and below it. A command may have taken it away so that
 * nothing can be restored. Follows no link.
 */
export function reclaimAccess(path: string): void {
  let folder = openFolder(sep);
  try {
    for (const name of dirname(path)
      .split(sep)
      .filter((part) => part !== '')) {
      const inner = openReclaimed(folder, name);
      folder.close();
      folder = inner;
    }
    reclaim(folder);
    reclaimBelow(folder, basename(path));
  } finally {
    folder.close();
  }
}

function openReclaimed(folder: HeldFolder, name: string): HeldFolder {
  try {
    return folder.open(name);
  } catch {
    reclaim(folder);
    return folder.open(name);
  }
}

function reclaim(folder: HeldFolder): void {
  const mode = permissions(statSync(folder.path, { bigint: true }));
  if ((mode & OWNER) !== OWNER) chmodSync(folder.path, mode | OWNER);
}

function reclaimBelow(folder: HeldFolder, name: string): void {
  if (!lstatSync(folder.entry(name), { throwIfNoEntry: false })?.isDirectory()) return;
  const inner = folder.open(name);
  try {
    reclaim(inner);
    for (const entry of readdirSync(inner.path, { withFileTypes: true })) {
      if (entry.isDirectory()) reclaimBelow(inner, entry.name);
    }
  } finally {
    inner.close();
  }
}
