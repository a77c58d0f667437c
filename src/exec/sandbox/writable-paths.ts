import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { byDepth, depthOf, isInside, PROTECTED_NAMES } from '../../base/guarded-paths.ts';
import type { PresentPlaces } from './places.ts';

/** The writable roots of a policy as they are on this machine now. All paths are canonical. */
export interface WritablePaths {
  /** Roots that exist. A root stands before the roots inside it. */
  readonly roots: readonly WritableRoot[];
  /** Paths inside the roots that must stay read-only: their contents decide what runs outside the sandbox later. */
  readonly readOnly: readonly string[];
  /** Protected names without an entry. No command may create them. */
  readonly absent: readonly string[];
  /**
   * Folders that contain a read-only path, a hidden one or another root. A command could move one away and put another
   * in its place.
   */
  readonly pinned: readonly string[];
  /** Sentences about things that are not as the user may expect them. */
  readonly notes: readonly string[];
}

export interface WritableRoot {
  readonly path: string;
  /** The only writable paths, if given. No entry can be made next to them. */
  readonly children?: readonly string[];
}

/**
 * Examines the roots. To be called before each command, since a command may make a repository. `isOurs` reports whether
 * an empty folder is a stub for a free name.
 */
export function findWritablePaths(
  { roots, hidden, home }: Pick<PresentPlaces, 'roots' | 'hidden' | 'home'>,
  isOurs: (path: string) => boolean = () => false,
): WritablePaths {
  const existing = roots.map(({ path }) => path);
  const isWritable = (path: string) => existing.some((root) => path === root || isInside(path, root));
  const names = existing.flatMap((root) => PROTECTED_NAMES.map((name) => lookAt(join(root, name), isOurs)));
  const ownHome = home !== undefined && isWritable(home) ? [home] : [];
  const readOnly = [...new Set([...names.flatMap((name) => name.targets).filter(isWritable), ...ownHome])];
  const shared = existing.filter(isShared);
  const links = names.filter(({ isLink }) => isLink).map(({ path }) => path);
  return {
    roots: existing.map((path) => {
      const linked = links.some((link) => dirname(link) === path);
      return linked ? { path, children: childrenOf(path) } : { path };
    }),
    readOnly,
    absent: names.filter(({ path, isAbsent }) => isAbsent && !shared.includes(dirname(path))).map(({ path }) => path),
    pinned: foldersBetween([...existing, ...readOnly, ...hidden.map(({ path }) => path)], existing).filter(
      (folder) => !isKept(folder, existing, readOnly),
    ),
    notes: links.map(linkNote),
  };
}

/** Returns the protected paths in writable roots that exist. */
export function protectedPaths(roots: readonly string[]): string[] {
  const names = roots.flatMap((root) => PROTECTED_NAMES.map((name) => lookAt(join(root, name), () => false)));
  const targets = names.flatMap((name) => name.targets);
  return targets.filter((path) => roots.some((root) => isInside(path, root)));
}

/** Reports whether a folder lies in a read-only path, and not in a root inside that path. */
function isKept(folder: string, roots: readonly string[], readOnly: readonly string[]): boolean {
  const around = (path: string) => path === folder || isInside(folder, path);
  const deepest = (paths: readonly string[]) => Math.max(-1, ...paths.filter(around).map(depthOf));
  return deepest(readOnly) >= deepest(roots);
}

/** Returns the path without links; undefined where nothing exists. */
export function canonical(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Reports whether a path has one of the protected names at the top of a root. */
export function isProtectedIn(path: string, root: string): boolean {
  return dirname(path) === root && PROTECTED_NAMES.includes(basename(path));
}

const STICKY_AND_OPEN = 0o1002;

/**
 * Reports whether any user may create names in a folder, as in /tmp. A stub there would protect nothing, and all users
 * would see it.
 */
function isShared(folder: string): boolean {
  return ((lstatSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & STICKY_AND_OPEN) === STICKY_AND_OPEN;
}

interface ProtectedName {
  readonly path: string;
  readonly isLink: boolean;
  readonly isAbsent: boolean;
  readonly targets: readonly string[];
}

function lookAt(path: string, isOurs: (path: string) => boolean): ProtectedName {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || isOurs(path)) return { path, isAbsent: true, isLink: false, targets: [] };
  return { path, isAbsent: false, isLink: stat.isSymbolicLink(), targets: targetsOf(path, stat) };
}

function linkNote(path: string): string {
  return (
    `${path} is a symbolic link. So that no command can replace it, commands can write to what is in ${dirname(path)}, ` +
    'but make, rename and delete nothing directly in it.'
  );
}

/** Returns the entries of a root that may be written to while its top level is read-only. */
export function childrenOf(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink() && !PROTECTED_NAMES.includes(entry.name))
    .map((entry) => join(root, entry.name));
}

/** Returns each folder that lies inside one of `tops` and contains one of `paths`. */
function foldersBetween(paths: readonly string[], tops: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); tops.some((top) => isInside(folder, top)); folder = dirname(folder)) {
      if (!tops.includes(folder)) found.add(folder);
    }
  }
  return [...found].sort(byDepth);
}

/** Returns the path to which a name in a root leads, and the repository that it names. */
function targetsOf(path: string, stat: Stats): string[] {
  // Roots are without links, so only the name itself can be one.
  const target = stat.isSymbolicLink() ? canonical(path) : path;
  if (target === undefined) return [];
  const repository = repositoryOf(target, stat);
  return repository === undefined ? [target] : [target, repository];
}

/** Returns the repository that the `.git` file of a worktree or submodule names. Its hooks and settings take effect. */
function repositoryOf(path: string, stat: Stats): string | undefined {
  if (stat.isDirectory() || !path.endsWith(`${sep}.git`) || !lstatSync(path).isFile()) return undefined;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
  if (named === undefined) return undefined;
  const folder = canonical(resolve(dirname(path), named));
  const end = folder?.indexOf(`${sep}.git${sep}`) ?? -1;
  return end < 0 ? folder : folder?.slice(0, end + 5);
}
