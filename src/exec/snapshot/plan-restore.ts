import type { Stats } from 'node:fs';
import { isAtOrBelow, type KeptEntry, type Tree } from './tree.ts';

/** What a restore does to one path. Folders are made and removed with what is in them, so only their modes stand here. */
export type RestoreStep =
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'write'; readonly path: string; readonly entry: FileOrLink; readonly isNew: boolean }
  | { readonly type: 'mode'; readonly path: string; readonly mode: number; readonly isFolder: boolean };

export type FileOrLink = Exclude<KeptEntry, { kind: 'folder' }>;

/**
 * What turns the present workspace into the kept one, in the order in which it is to be done: what is in the way goes first,
 * and folders become writable before, read-only after what is written in them. What the snapshot left out is left alone.
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
 * The present workspace without what is only another spelling of a file in it: where the case of letters does not count, the
 * kept spelling of a renamed file is found too.
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
