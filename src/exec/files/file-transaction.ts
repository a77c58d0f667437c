import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Disk } from './disk.ts';
import { type CheckedFolder, type HeldFolders, holdFolders } from './held-folders.ts';
import { codeOf, reasonOf, systemError } from './system-error.ts';

/** A change of several files that is under way, with all that takes it back. */
export interface FileTransaction {
  readonly disk: Disk;
  readonly sandboxed: boolean;
  readonly folders: HeldFolders;
  /** Remembers how something is taken back that was done. `fault` says what it means when that fails. */
  onUndo(fault: string, takeBack: () => void): void;
  /** A name in a folder that nothing has, and that nothing will have in the end. A path for the disk. */
  temporary(folder: CheckedFolder): string;
  /** Files that must be gone in the end: as paths for the disk, with those that people know. */
  readonly leftovers: Map<string, string>;
  /** Descriptors to close in the end. */
  readonly opened: number[];
  /** A folder, made with those above it where they are missing. */
  makeFolder(path: string): CheckedFolder;
  /** Takes everything back. Gives what could not be, a sentence each. */
  undo(): string[];
  /** Tidies up behind. Gives what could not be, a sentence each. */
  finish(): string[];
}

/** Enough for a call that was interrupted, and for a disk that fails now and then. */
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

/** False where something of that name is there. */
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
