import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

/** What the writable roots of a policy come to on this machine, now. All paths are canonical. */
export interface WritablePaths {
  /** The roots that exist, without those inside another. */
  readonly writable: readonly string[];
  /** What must stay read-only inside them: whoever writes there decides what runs outside the sandbox later. */
  readonly readOnly: readonly string[];
  /** What could not be protected as it should be, each a sentence. */
  readonly notes: readonly string[];
}

const PROTECTED_NAMES = ['.git', '.agents', '.codex', '.oxbow'];

/** Looks at the roots. Done before each command, since a command may make a repository. */
export function findWritablePaths(roots: readonly string[]): WritablePaths {
  const existing = [...new Set(roots.map(canonical).filter((path) => path !== undefined))];
  const readOnly = new Set<string>();
  const notes: string[] = [];
  for (const root of existing) {
    for (const name of PROTECTED_NAMES) {
      const path = join(root, name);
      if (isLink(path)) notes.push(linkNote(path));
      for (const target of protectedTargets(path)) readOnly.add(target);
    }
  }
  return {
    writable: existing.filter((path) => !existing.some((other) => isInside(path, other))),
    readOnly: [...readOnly],
    notes,
  };
}

/** Whether a path lies below a folder. Both are canonical. */
export function isInside(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path without links; undefined where nothing is there. */
export function canonical(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function linkNote(path: string): string {
  return `${path} is a symbolic link. What it points to is read-only in the sandbox, but a command could replace the link itself.`;
}

function protectedTargets(path: string): string[] {
  const target = canonical(path);
  if (target === undefined) return [];
  const repository = repositoryOf(target);
  return repository === undefined ? [target] : [target, repository];
}

/** The repository that the `.git` file of a worktree or submodule names: its hooks and settings count. */
function repositoryOf(path: string): string | undefined {
  if (!path.endsWith(`${sep}.git`) || !lstatSync(path).isFile()) return undefined;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
  if (named === undefined) return undefined;
  const folder = canonical(resolve(dirname(path), named));
  const end = folder?.indexOf(`${sep}.git${sep}`) ?? -1;
  return end < 0 ? folder : folder?.slice(0, end + 5);
}
