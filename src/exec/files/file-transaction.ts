import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Disk } from './disk.ts';
import { type CheckedFolder, type HeldFolders, holdFolders } from './held-folders.ts';
import { codeOf, reasonOf, systemError } from './system-error.ts';

/** A change of several files that can be undone as a whole. */
export interface FileTransaction {
  readonly disk: Disk;
  readonly sandboxed: boolean;
  readonly folders: HeldFolders;
  /** Adds an action to the undo. `fault` is the sentence for an action that fails. */
  onUndo(fault: string, takeBack: () => void): void;
  /** Returns an unused path in a folder for a temporary file, and adds it to `leftovers`. */
  temporary(folder: CheckedFolder): string;
  /** Temporary files to remove in the end: paths for the disk, with the paths to show. */
  readonly leftovers: Map<string, string>;
  /** Descriptors to close in the end. */
  readonly opened: number[];
  /** Returns a folder. Makes it, and the folders above it, where they are missing. */
  makeFolder(path: string): CheckedFolder;
  /** Undoes everything. Returns a sentence for each action that failed. */
  undo(): string[];
  /** Removes temporary files and closes everything. Returns a sentence for each file that could not be removed. */
  finish(): string[];
}

/** Enough for an interrupted call, and for a disk that fails now and then. */
const ATTEMPTS = 3;

export function startTransaction(disk: Disk, sandboxed: boolean): FileTransaction {
  const folders = holdFolders();
  const done: { what: string; takeBack: () => void }[] = [];
  const leftovers = new Map<string, string>();
  const opened: number[] = [];
  const names = `.oxbow-${randomBytes(8).toString('hex')}`;
  let named = 0;
  const onUndo = (what: string, takeBack: () => void) => void done.push({ what, takeBack });

  function makeFolder(path: string): CheckedFolder {
    const found = folders.get(path);
    if (found) return found;
    const entry = makeFolder(dirname(path)).entry(basename(path));
    if (make(disk, entry)) onUndo(`${path} could not be removed again`, () => disk.rmdirSync(entry));
    const made = folders.get(path);
    if (made === undefined) throw systemError('ENOTDIR', `${path} is not a folder`, path);
    return made;
  }

  function temporary(folder: CheckedFolder): string {
    const name = `${names}-${++named}`;
    const entry = folder.entry(name);
    leftovers.set(entry, join(folder.path, name));
    return entry;
  }

  function finish(): string[] {
    const faults = [...leftovers].flatMap(([entry, path]) =>
      faultOf(`The temporary file ${path} could not be removed`, () => remove(disk, entry)),
    );
    for (const descriptor of opened) closeSync(descriptor);
    folders.close();
    return faults;
  }

  return {
    disk,
    sandboxed,
    folders,
    onUndo,
    temporary,
    leftovers,
    opened,
    makeFolder,
    undo: () => [...done.reverse().flatMap(({ what, takeBack }) => faultOf(what, takeBack)), ...finish()],
    finish,
  };
}

/** Makes a folder. Returns false where an entry of that name exists. */
function make(disk: Disk, entry: string): boolean {
  try {
    disk.mkdirSync(entry);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function remove(disk: Disk, entry: string): void {
  try {
    disk.unlinkSync(entry);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function faultOf(what: string, act: () => void): string[] {
  for (let attempt = 1; ; attempt++) {
    try {
      act();
      return [];
    } catch (error) {
      if (attempt === ATTEMPTS) return [`${what}: ${reasonOf(error)}.`];
    }
  }
}
