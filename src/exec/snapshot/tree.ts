/**
 * A workspace as it was kept. Names and paths are bytes, one per character (`latin1`): names on a disk need not be
 * UTF-8, and two different names must not become one.
 */
export interface Tree {
  /** Entries by path, without the top folder. A folder stands before its entries. */
  readonly entries: ReadonlyMap<string, KeptEntry>;
  /** Paths that existed and were left out, with everything below them. */
  readonly left: ReadonlyMap<string, LeftReason>;
}

export type KeptEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly id: string }
  | { readonly kind: 'link'; readonly id: string }
  | { readonly kind: 'folder'; readonly mode: number; readonly id: string };

/** An entry of one folder. */
export type FolderEntry = KeptEntry | { readonly kind: 'left'; readonly reason: LeftReason };

export const LEFT_REASONS = {
  ignored: 'git ignores it',
  repository: 'it is a git repository of its own, or a submodule',
  large: 'it is larger than snapshots.max_file_bytes',
  unreadable: 'it could not be read',
  special: 'it is not a regular file',
  changing: 'it was written to meanwhile',
  barred: 'it may not be read, or belongs to Oxbow',
} as const;

export type LeftReason = keyof typeof LEFT_REASONS;

/** Returns a path for people to read. */
export function shownPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** Returns a path of this process as the bytes on the disk. */
export function diskPath(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Returns the folder of a path; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Reports whether `some` contains a path or a folder above it. */
export function isAtOrBelow(path: string, some: { has(path: string): boolean }): boolean {
  for (let at = path; at !== ''; at = folderOf(at)) if (some.has(at)) return true;
  return false;
}
