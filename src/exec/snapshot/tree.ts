/**
 * A workspace as it was kept. Names and paths are bytes, a character each (`latin1`): what a disk calls a name need not be
 * UTF-8, and two names that differ must not become one.
 */
export interface Tree {
  /** By path, without the folder that holds it all. A folder stands before what is in it. */
  readonly entries: ReadonlyMap<string, KeptEntry>;
  /** What was there and was not kept, by path. What lies below such a path was not kept either. */
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
  special: 'it is no regular file',
  changing: 'it was written to meanwhile',
  barred: 'it may not be read, or belongs to Oxbow',
} as const;

export type LeftReason = keyof typeof LEFT_REASONS;

/** How a path is shown to people. */
export function shownPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** A path of this process as the bytes that the disk knows. */
export function diskPath(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The folder that a path lies in; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Whether a path, or a folder above it, is among some. */
export function isAtOrBelow(path: string, some: { has(path: string): boolean }): boolean {
  for (let at = path; at !== ''; at = folderOf(at)) if (some.has(at)) return true;
  return false;
}
