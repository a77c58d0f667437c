import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findTraps, type Listings, trapKey } from './git-traps.ts';
import { changeMark, identityMark } from './marks.ts';
import { type HeldFolder, openFolder } from './open-folder.ts';
import { reclaimAccess } from './reclaim-access.ts';
import { isFree, permissions, type Remembered, type RememberedEntries } from './remember-tree.ts';

/**
 * Restores a path. Nothing is lost: entries that are there instead are moved to a folder next to the path. Returns that
 * folder; the empty string when nothing was moved; undefined when nothing had changed. Follows no link on its way,
 * since commands may have placed one and may still run. Throws where the path cannot be restored.
 */
export function putBack(path: string, tree: Remembered, listings: Listings = new Map()): string | undefined {
  try {
    return putBackOnce(path, tree, listings);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    reclaimAccess(path);
    // The first attempt may have changed something already.
    return putBackOnce(path, tree, listings) ?? '';
  }
}

function putBackOnce(path: string, tree: Remembered, listings: Listings): string | undefined {
  const parent = openFolder(dirname(path));
  const aside = createAside(parent, dirname(path));
  try {
    const changed = restore({ folder: parent, name: basename(path), aside, listings }, tree);
    return changed ? (aside.path() ?? '') : undefined;
  } finally {
    aside.close();
    parent.close();
  }
}

/** Returns the note about a restored path. `aside` is the result of `putBack`. */
export function changedNote(path: string, aside: string): string {
  return (
    `A command changed ${path}, which the sandbox does not allow. It was put back as it was before` +
    `${aside === '' ? '' : `; the changed files are in ${aside}`}.`
  );
}

/** Returns the note about a path that could not be restored. */
export function lostNote(path: string, why: string): string {
  return `A command changed ${path}, which the sandbox does not allow, and it could not be put back: ${why}. Look at ${dirname(path)} before you run git there.`;
}

interface RestoreTarget {
  readonly folder: HeldFolder;
  readonly name: string;
  readonly aside: Aside;
  readonly listings: Listings;
}

/** Restores an entry. Reports whether it had changed. */
function restore(target: RestoreTarget, tree: Remembered): boolean {
  const { folder, name, aside } = target;
  const stat = lstatSync(folder.entry(name), { bigint: true, throwIfNoEntry: false });
  if (tree.type === 'folder' && stat?.isDirectory() && isMarked(stat, tree.mark)) {
    return restoreFolder(target, tree, permissions(stat));
  }
  if (isSame(folder.entry(name), stat, tree)) return false;
  if (stat !== undefined) aside.move(folder, name);
  if (tree.type === 'folder' && bringBack(target, tree.mark)) {
    restore(target, tree);
    return true;
  }
  make(target, tree);
  return true;
}

function isSame(path: string, stat: BigIntStats | undefined, tree: Remembered): boolean {
  switch (tree.type) {
    case 'nothing':
      return stat === undefined;
    case 'link':
      return stat?.isSymbolicLink() === true && readlinkSync(path) === tree.target;
    case 'file':
      if (!stat?.isFile() || permissions(stat) !== tree.mode) return false;
      if (changeMark(stat) === tree.mark) return true;
      // Another name of the file may be one that commands, or git itself, can write to later.
      return stat.nlink === 1n && Number(stat.size) === tree.content.length && holds(path, tree.content);
    case 'other':
      return stat !== undefined && isMarked(stat, tree.mark);
    case 'folder':
      return false;
  }
}

/** Reports whether an entry is the remembered one. The mark may be unknown, and is then the empty string. */
function isMarked(stat: BigIntStats, mark: string): boolean {
  return mark === '' || identityMark(stat) === mark;
}

function holds(path: string, content: Uint8Array): boolean {
  // The path may be a link or a pipe by now. It must not be followed or waited for.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const read = Buffer.alloc(content.length + 1);
    return readSync(descriptor, read) === content.length && read.subarray(0, content.length).equals(content);
  } finally {
    closeSync(descriptor);
  }
}

function restoreFolder(target: RestoreTarget, tree: Remembered & { type: 'folder' }, mode: number): boolean {
  const { known } = tree.entries;
  const folder = target.folder.open(target.name);
  let changed = mode !== tree.mode;
  try {
    if (changed) chmodSync(folder.path, tree.mode);
    for (const name of readdirSync(folder.entry('.'))) {
      if (known.has(name) || isFree(tree.entries, name)) continue;
      target.aside.move(folder, name);
      changed = true;
    }
    for (const [name, entry] of known) changed = restore({ ...target, folder, name }, entry) || changed;
    if (tree.entries.isRepository) changed = removeTraps({ ...target, folder }, tree.entries) || changed;
  } finally {
    folder.close();
  }
  return changed;
}

/** Moves away traps that were not there before. Reports whether there was one. */
function removeTraps({ folder, aside, listings }: Omit<RestoreTarget, 'name'>, entries: RememberedEntries): boolean {
  const traps = findTraps(folder, (name) => isFree(entries, name), listings);
  const added = traps.filter((trap) => !entries.traps.has(trapKey(trap)));
  // Several traps may have one path.
  const paths = new Map(added.map(({ path }) => [path.join('/'), path]));
  for (const path of paths.values()) moveAway(folder, path, aside);
  return added.length > 0;
}

function moveAway(folder: HeldFolder, [name = '', ...rest]: readonly string[], aside: Aside): void {
  if (rest.length === 0) {
    aside.move(folder, name);
    return;
  }
  const inner = folder.open(name);
  try {
    moveAway(inner, rest, aside);
  } finally {
    inner.close();
  }
}

/** Moves back a folder that was renamed within its parent, with the contents that were never kept in memory. */
function bringBack({ folder, name }: RestoreTarget, mark: string): boolean {
  for (const other of readdirSync(folder.entry('.'))) {
    const stat = lstatSync(folder.entry(other), { bigint: true, throwIfNoEntry: false });
    if (!stat?.isDirectory() || identityMark(stat) !== mark) continue;
    renameSync(folder.entry(other), folder.entry(name));
    return true;
  }
  return false;
}

function make(target: RestoreTarget, tree: Remembered): void {
  const path = target.folder.entry(target.name);
  if (tree.type === 'file') write(path, tree);
  if (tree.type === 'link') symlinkSync(tree.target, path);
  if (tree.type !== 'folder') return;
  // Only a part of a repository is remembered, and half a repository would be worse than none.
  if (tree.entries.isRepository) throw new Error('the repository was deleted or moved');
  mkdirSync(path, { mode: 0o700 });
  const folder = target.folder.open(target.name);
  try {
    for (const [name, entry] of tree.entries.known) make({ ...target, folder, name }, entry);
    chmodSync(folder.entry('.'), tree.mode);
  } finally {
    folder.close();
  }
}

function write(path: string, { content, mode }: Remembered & { type: 'file' }): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at);
    chmodSync(`/proc/self/fd/${descriptor}`, mode);
  } finally {
    closeSync(descriptor);
  }
}

interface Aside {
  move(folder: HeldFolder, name: string): void;
  /** Undefined while nothing has been moved. */
  path(): string | undefined;
  close(): void;
}

/** Returns a folder for changed files. It is made for the first of them. */
function createAside(parent: HeldFolder, parentPath: string): Aside {
  let held: HeldFolder | undefined;
  let folderName: string | undefined;
  let count = 0;

  function open(): HeldFolder {
    if (held !== undefined) return held;
    for (let number = 1; held === undefined; number++) {
      const name = `oxbow-set-aside-${number}`;
      try {
        mkdirSync(parent.entry(name), { mode: 0o700 });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      folderName = name;
      held = parent.open(name);
    }
    return held;
  }

  return {
    move(folder, name) {
      count += 1;
      renameSync(folder.entry(name), open().entry(`${count}-${name}`));
    },
    path: () => (folderName === undefined ? undefined : join(parentPath, folderName)),
    close: () => held?.close(),
  };
}
