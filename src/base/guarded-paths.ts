import type { SandboxPolicy } from './policy.ts';

/** Names that commands and patches may not write in a writable folder: what lies there decides what runs outside later. */
export const PROTECTED_NAMES: readonly string[] = ['.git', '.agents', '.codex', '.oxbow'];

/** Whether a path lies below a folder. Both are absolute and without links. */
export function isInside(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Whether a path has a protected name below a folder. At any depth: a project may lie in another. */
export function isProtected(path: string, folder: string): boolean {
  if (!isInside(path, folder)) return false;
  const names = path.slice(folder.length).split('/');
  return names.some((name) => PROTECTED_NAMES.includes(name.toLowerCase()));
}

/** Whether a path is, or lies below, what may not be read. */
export function isDenied(path: string, { denyRead = [] }: SandboxPolicy): boolean {
  return denyRead.some((denied) => path === denied || isInside(path, denied));
}
