import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type HeldFolder, openFolder } from '../sandbox/landlock/open-folder.ts';
import { codeOf, systemError } from './system-error.ts';

/** A folder with a known path without links. Renames and links in the path no longer matter. */
export interface CheckedFolder {
  readonly path: string;
  /** Returns the path of an entry that leads through nothing but the folder. The entry itself may be a link. */
  entry(name: string): string;
  /** Throws where the folder was moved. */
  check(): void;
}

/** Folders that are held open while files in them change. */
export interface HeldFolders {
  /** Returns undefined where there is no folder: nothing, a file or a link has the path. */
  get(path: string): CheckedFolder | undefined;
  /** Returns the deepest existing folder above a path. */
  above(path: string): CheckedFolder;
  close(): void;
}

export function holdFolders(): HeldFolders {
  const known = new Map<string, CheckedFolder & { close(): void }>();
  const open = process.platform === 'linux' && existsSync('/proc/self/fd') ? held : plain;

  function get(path: string): CheckedFolder | undefined {
    const found = known.get(path);
    if (found) return found;
    try {
      const folder = open(path);
      known.set(path, folder);
      return folder;
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  return {
    get,
    above(path) {
      for (let folder = dirname(path); ; folder = dirname(folder)) {
        const found = get(folder);
        if (found) return found;
        if (folder === dirname(folder)) throw systemError('ENOENT', 'no such file or directory', path);
      }
    },
    close() {
      for (const folder of known.values()) folder.close();
      known.clear();
    },
  };
}

function held(path: string): CheckedFolder & HeldFolder {
  const folder = openFolder(path);
  const itself = folder.entry('');
  return {
    ...folder,
    path,
    entry: (name) => `${itself}/${name}`,
    check() {
      if (readlinkSync(itself) !== path) throw movedAway(path);
    },
  };
}

/** Returns a folder that no descriptor can hold. Its path is checked right before each use. */
function plain(path: string): CheckedFolder & { close(): void } {
  const check = () => {
    if (realpathSync.native(path) !== path) throw movedAway(path);
  };
  if (!lstatSync(path).isDirectory()) throw movedAway(path);
  check();
  return { path, check, entry: (name) => join(path, name), close: () => {} };
}

function movedAway(path: string): Error {
  return systemError('ENOTDIR', 'another folder or a link has taken its place', path);
}
