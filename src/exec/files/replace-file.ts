import { basename } from 'node:path';
import { type FoundFile, outdated, requireSame, statOf } from './examine-file.ts';
import type { FileTransaction } from './file-transaction.ts';
import type { CheckedFolder } from './held-folders.ts';
import { isStuck } from './system-error.ts';

/** Moves a temporary file to a path without an entry. */
export function putNew(
  path: string,
  staged: string,
  folder: CheckedFolder,
  { disk, onUndo, leftovers }: FileTransaction,
): void {
  const entry = folder.entry(basename(path));
  if (statOf(disk, entry)) throw outdated(`${path} is there by now.`);
  disk.renameSync(staged, entry);
  leftovers.delete(staged);
  onUndo(`${path} could not be removed again`, () => disk.unlinkSync(entry));
}

export interface Replacement {
  readonly path: string;
  readonly old: FoundFile;
  readonly staged: string;
  readonly folder: CheckedFolder;
}

/** Replaces a file by a temporary file. Returns false where the file can only be overwritten. */
export function replace({ path, old, staged, folder }: Replacement, transaction: FileTransaction): boolean {
  const { disk, leftovers } = transaction;
  const entry = folder.entry(basename(path));
  const kept = linkAside(path, folder, transaction);
  if (kept === undefined) return false;
  requireSame(path, old, disk.lstatSync(kept.aside));
  try {
    disk.renameSync(staged, entry);
  } catch (error) {
    if (!kept.linked || !isStuck(error)) throw error;
    // In a folder with the sticky bit, files of other users can be written but not replaced.
    disk.unlinkSync(kept.aside);
    leftovers.delete(kept.aside);
    return false;
  }
  leftovers.delete(staged);
  if (kept.linked) putBackOnUndo(path, kept.aside, entry, transaction);
  return true;
}

/**
 * Links the old file to a second name, so that it exists all the time. Where hard links are impossible, moves the file
 * aside for a moment. Returns undefined where both are impossible.
 */
function linkAside(
  path: string,
  folder: CheckedFolder,
  transaction: FileTransaction,
): { aside: string; linked: boolean } | undefined {
  try {
    const aside = transaction.temporary(folder);
    transaction.disk.linkSync(folder.entry(basename(path)), aside);
    return { aside, linked: true };
  } catch (error) {
    if (!isStuck(error)) throw error;
  }
  try {
    return { aside: setAside(path, folder, transaction), linked: false };
  } catch (error) {
    if (!isStuck(error)) throw error;
    return undefined;
  }
}

/** Moves a file to a temporary name. Returns its path for the disk. */
export function setAside(path: string, folder: CheckedFolder, transaction: FileTransaction): string {
  const entry = folder.entry(basename(path));
  const aside = transaction.temporary(folder);
  transaction.disk.renameSync(entry, aside);
  putBackOnUndo(path, aside, entry, transaction);
  return aside;
}

function putBackOnUndo(path: string, aside: string, entry: string, { disk, onUndo, leftovers }: FileTransaction): void {
  onUndo(`${path} could not be put back and is now ${leftovers.get(aside)}`, () => {
    leftovers.delete(aside);
    disk.renameSync(aside, entry);
  });
}
