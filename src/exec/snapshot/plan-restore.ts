import type { Stats } from 'node:fs';
import { isAtOrBelow, type KeptEntry, type Tree } from './tree.ts';

/**
 * A step of a restore for one path. Folders are made and removed with their contents, so a folder has a step for its
 * mode only.
 */
export type RestoreStep =
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'write'; readonly path: string; readonly entry: FileOrLink; readonly isNew: boolean }
  | { readonly type: 'mode'; readonly path: string; readonly mode: number; readonly isFolder: boolean };

export type FileOrLink = Exclude<KeptEntry, { kind: 'folder' }>;

/**
 * Returns the steps that turn the present workspace into the snapshot, in order. Entries in the way are deleted first.
 * Folders become writable before their contents are written, and read-only afterwards. Paths that the snapshot left out
 * are left alone.
 */
export function planRestore(kept: Tree, present: Tree): readonly RestoreStep[] {
  const opened: RestoreStep[] = [];
  const closed: RestoreStep[] = [];
  const deletes: RestoreStep[] = [];
  for (const [path, entry] of present.entries) {
    if (entry.kind === 'folder' || isContent(kept.entries.get(path)) || isAtOrBelow(path, kept.left)) continue;
    deletes.push({ type: 'delete', path });
  }
  const writes: RestoreStep[] = [];
  for (const [path, entry] of kept.entries) {
    const now = present.entries.get(path);
    if (entry.kind === 'folder') {
      if (now?.kind !== 'folder' || now.mode === entry.mode) continue;
      const step: RestoreStep = { type: 'mode', path, mode: entry.mode, isFolder: true };
      if (entry.mode & 0o200) opened.push(step);
      else closed.unshift(step);
    } else if (now?.kind !== entry.kind || now.id !== entry.id) {
      writes.push({ type: 'write', path, entry, isNew: !isContent(now) });
    } else if (entry.kind === 'file' && now.kind === 'file' && now.mode !== entry.mode) {
      writes.push({ type: 'mode', path, mode: entry.mode, isFolder: false });
    }
  }
  return [...opened, ...deletes, ...writes, ...closed];
}

/**
 * Returns the present workspace without second spellings of a file: on a disk that ignores case, a renamed file is
 * found under its kept spelling too.
 */
export function withoutRespelled(kept: Tree, present: Tree, stats: ReadonlyMap<string, Stats>): Tree {
  const spellings = new Map<string, string[]>();
  for (const [path, { dev, ino, nlink }] of stats) {
    if (nlink !== 1) continue;
    const file = `${dev}:${ino}`;
    spellings.set(file, [...(spellings.get(file) ?? []), path]);
  }
  const respelled = new Set([...spellings.values()].filter((paths) => paths.length > 1).flat());
  const entries = [...present.entries].filter(([path]) => !respelled.has(path) || !kept.entries.has(path));
  return respelled.size === 0 ? present : { ...present, entries: new Map(entries) };
}

function isContent(entry: KeptEntry | undefined): boolean {
  return entry !== undefined && entry.kind !== 'folder';
}
