import { closeSync, constants, openSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A folder that is held open, so that renames and links in its path no longer matter. */
export interface HeldFolder {
  /** Path of the folder itself, which needs no right to search it. */
  readonly path: string;
  /** Returns the path of an entry that leads through nothing but the folder. The entry itself may be a link. */
  entry(name: string): string;
  /** Opens a folder in this one. Throws for a link. */
  open(name: string): HeldFolder;
  close(): void;
}

/** Opens a folder without the right to read it. */
const O_PATH = 0x200000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder by an absolute path. Throws where any part of the path is a link. */
export function openFolder(path: string): HeldFolder {
  let folder = hold(openSync(sep, FLAGS));
  for (const name of path.split(sep).filter((part) => part !== '')) {
    const outer = folder;
    try {
      folder = outer.open(name);
    } finally {
      outer.close();
    }
  }
  return folder;
}

function hold(descriptor: number): HeldFolder {
  const path = `/proc/self/fd/${descriptor}`;
  const entry = (name: string) => join(path, name);
  return { path, entry, open: (name) => hold(openSync(entry(name), FLAGS)), close: () => closeSync(descriptor) };
}
