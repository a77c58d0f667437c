import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { OPEN_FLAGS } from '../files/read-opened.ts';
import { codeOf, reasonOf } from '../files/system-error.ts';
import { type FolderHandle, openFolderHandle } from './folder-handle.ts';
import type { ObjectStore } from './object-store.ts';
import type { Pace } from './pace.ts';
import type { FileOrLink, RestoreStep } from './plan-restore.ts';
import { folderOf, type Tree } from './tree.ts';

export interface ApplyOptions {
  readonly root: string;
  readonly kept: Tree;
  readonly objects: ObjectStore;
  /** Status of files and links when the plan was made. A file with another status now is left alone. */
  readonly stats: ReadonlyMap<string, Stats>;
  readonly pace: Pace;
}

export interface FailedStep {
  readonly step: RestoreStep;
  readonly reason: string;
}

/**
 * Applies a plan. Each file is written whole or not at all, through folders that are held open, so that no link leads
 * out of the workspace. Goes on after a failure. Returns the steps that failed.
 */
export async function applyRestore(
  steps: readonly RestoreStep[],
  options: ApplyOptions,
): Promise<readonly FailedStep[]> {
  const failed: FailedStep[] = [];
  const madeFolders = new Set<string>();
  const attempt = (step: RestoreStep, act: () => void) => {
    try {
      act();
    } catch (error) {
      failed.push({ step, reason: reasonOf(error) });
    }
  };
  for (const step of steps) {
    if (options.pace.isDue()) await options.pace.rest();
    attempt(step, () => applyStep(step, options, madeFolders));
  }
  for (const step of modesOf(madeFolders, options.kept)) attempt(step, () => applyStep(step, options, madeFolders));
  return failed;
}

function applyStep(step: RestoreStep, options: ApplyOptions, madeFolders: Set<string>): void {
  const { path } = step;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const held = openAt(options.root, folderOf(path), step.type === 'write' ? madeFolders : undefined);
  try {
    held.check();
    if (step.type === 'delete') removeFile(held.entry(name), options.stats.get(path));
    else if (step.type === 'write') writeFile(held, name, step.entry, options, options.stats.get(path));
    else if (step.isFolder) chmodFolder(held, name, step.mode);
    else chmodFile(held.entry(name), step.mode, options.stats.get(path));
  } finally {
    held.close();
  }
  if (step.type === 'delete') removeEmpty(folderOf(path), options);
}

/** Opens a folder of the workspace. With `made`, missing folders are made and added to it. */
function openAt(root: string, path: string, made?: Set<string>): FolderHandle {
  let held = openFolderHandle(root);
  let at = '';
  for (const name of path === '' ? [] : path.split('/')) {
    at = at === '' ? name : `${at}/${name}`;
    const outer = held;
    try {
      if (made && makeFolder(outer, name)) made.add(at);
      held = outer.open(name);
    } finally {
      outer.close();
    }
  }
  return held;
}

function makeFolder(held: FolderHandle, name: string): boolean {
  try {
    mkdirSync(held.entry(name), 0o700);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeFile(entry: Buffer, seen: Stats | undefined): void {
  const now = lstatSync(entry, { throwIfNoEntry: false });
  if (now === undefined) return;
  requireSeen(now, seen);
  unlinkSync(entry);
}

function writeFile(
  held: FolderHandle,
  name: string,
  kept: FileOrLink,
  { objects }: ApplyOptions,
  seen: Stats | undefined,
): void {
  const entry = held.entry(name);
  const now = lstatSync(entry, { throwIfNoEntry: false });
  if (now?.isDirectory()) removeFolder(entry);
  else if (now) requireSeen(now, seen);
  const temporary = held.entry(`.oxbow-${randomBytes(8).toString('hex')}`);
  try {
    if (kept.kind === 'link') symlinkSync(objects.read(kept.id), temporary);
    else writeContent(temporary, kept, objects, now?.isFile() ? now : statSync(held.entry('.')));
    held.check();
    renameSync(temporary, entry);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function writeContent(
  path: Buffer,
  { id, mode }: Extract<FileOrLink, { kind: 'file' }>,
  objects: ObjectStore,
  ownedLike: Stats,
): void {
  const descriptor = openSync(path, CREATE, 0o600);
  try {
    objects.readTo(id, (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
    });
    chownLike(descriptor, ownedLike);
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Changes the owner of a file to another's. Matters to root, who works in the folders of others; other users may fail.
 */
function chownLike(descriptor: number, { uid, gid }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid === uid && own.gid === gid) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // The file stays ours.
  }
}

function removeFolder(entry: Buffer): void {
  try {
    rmdirSync(entry);
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST')
      throw new Error('a folder with files that are not restored is in its place');
    throw error;
  }
}

function chmodFile(entry: Buffer, mode: number, seen: Stats | undefined): void {
  const descriptor = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | OPEN_FLAGS);
  try {
    requireSeen(fstatSync(descriptor), seen);
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}

function chmodFolder(held: FolderHandle, name: string, mode: number): void {
  const folder = held.open(name);
  try {
    chmodSync(folder.entry('.'), mode);
  } finally {
    folder.close();
  }
}

function requireSeen(now: Stats, seen: Stats | undefined): void {
  if (seen === undefined) throw new Error('something that was not kept is in its place');
  const isSame = now.ino === seen.ino && now.size === seen.size && now.mtimeMs === seen.mtimeMs;
  if (!isSame) throw new Error('it has changed meanwhile');
}

/** Removes folders that a deletion left empty and that the snapshot does not contain. */
function removeEmpty(path: string, options: ApplyOptions): void {
  for (let at = path; at !== '' && !options.kept.entries.has(at); at = folderOf(at)) {
    try {
      const held = openAt(options.root, folderOf(at));
      try {
        rmdirSync(held.entry(at.slice(at.lastIndexOf('/') + 1)));
      } finally {
        held.close();
      }
    } catch {
      return;
    }
  }
}

/** Returns steps that set the modes of new folders, deepest first: a mode may forbid to enter the folder. */
function modesOf(made: ReadonlySet<string>, kept: Tree): RestoreStep[] {
  return [...made].reverse().flatMap((path) => {
    const entry = kept.entries.get(path);
    return entry?.kind === 'folder' ? [{ type: 'mode', path, mode: entry.mode, isFolder: true } as const] : [];
  });
}
