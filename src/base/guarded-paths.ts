import type { SandboxPolicy } from './policy.ts';

/**
 * Names that commands and patches may not write to in a writable folder. Files under these names decide what runs
 * outside the sandbox later.
 */
export const PROTECTED_NAMES: readonly string[] = ['.git', '.agents', '.codex', '.oxbow'];

/** Reports whether a path lies below a folder. Both must be absolute and without symbolic links. */
export function isInside(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Sorts folders before their contents. */
export function byDepth(a: string, b: string): number {
  return depthOf(a) - depthOf(b);
}

/** Returns the number of names in an absolute path, plus one; 0 for the root. */
export function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length;
}

/**
 * Reports whether a path has a protected name below a folder, at any depth. Depth does not matter because projects may
 * be nested.
 */
export function isProtected(path: string, folder: string): boolean {
  if (!isInside(path, folder)) return false;
  const names = path.slice(folder.length).split('/');
  return names.some((name) => PROTECTED_NAMES.includes(name.toLowerCase()));
}

/** Reports whether a path may not be read, or lies below such a path. */
export function isDenied(path: string, { denyRead = [], keyFiles = [] }: SandboxPolicy): boolean {
  return [...denyRead, ...keyFiles].some((denied) => path === denied || isInside(path, denied));
}

/** Reports whether a path lies in Oxbow's home, and not in a writable root inside the home. */
export function isInHome(path: string, { home, writableRoots }: SandboxPolicy): boolean {
  if (home === undefined || (path !== home && !isInside(path, home))) return false;
  return !writableRoots.some((root) => isInside(root, home) && isInside(path, root));
}
