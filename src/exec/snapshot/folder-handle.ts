import { closeSync, constants, existsSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { systemError } from '../files/system-error.ts';
import { openFolder } from '../sandbox/landlock/open-folder.ts';
import { diskPath, shownPath } from './tree.ts';

/** An open folder. Renames and links in its path no longer matter. Names are bytes, as in `Tree`. */
export interface FolderHandle {
  /** Returns the path of an entry that leads through nothing but the folder. The entry itself may be a link. */
  entry(name: string): Buffer;
  /** Opens a folder in this one. Throws for a link and anything else. */
  open(name: string): FolderHandle;
  /** Throws where the folder was moved. */
  check(): void;
  close(): void;
}

/** Opens a folder without the right to read it. */
const O_PATH = 0x200000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder by an absolute path without links. */
export function openFolderHandle(path: string): FolderHandle {
  if (process.platform !== 'linux' || !existsSync('/proc/self/fd')) return plain(diskPath(path));
  const folder = openFolder(path);
  try {
    return held(openSync(`${folder.entry('')}/.`, FLAGS), diskPath(path));
  } finally {
    folder.close();
  }
}

function held(descriptor: number, path: string): FolderHandle {
  const itself = `/proc/self/fd/${descriptor}`;
  const entry = (name: string) => Buffer.from(`${itself}/${name}`, 'latin1');
  return {
    entry,
    open: (name) => held(openSync(entry(name), FLAGS), `${path}/${name}`),
    check() {
      if (readlinkSync(itself, 'latin1') !== path) throw movedAway(path);
    },
    close: () => closeSync(descriptor),
  };
}

/** Returns a folder that no descriptor can hold. Its path is checked right before each use. */
function plain(path: string): FolderHandle {
  const itself = Buffer.from(path, 'latin1');
  const check = () => {
    if (!lstatSync(itself).isDirectory() || realpathSync.native(itself, 'latin1') !== path) throw movedAway(path);
  };
  check();
  return {
    entry: (name) => Buffer.from(`${path}/${name}`, 'latin1'),
    open: (name) => plain(`${path}/${name}`),
    check,
    close: () => {},
  };
}

function movedAway(path: string): Error {
  return systemError('ENOTDIR', 'another folder or a link has taken its place', shownPath(path));
}
