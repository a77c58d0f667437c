import { UserError } from '../../base/errors.ts';
import { decodeFolder } from './folder-object.ts';
import type { ObjectStore } from './object-store.ts';
import { joinPath, type KeptEntry, type LeftReason, type Tree } from './tree.ts';

/** Reads a snapshot by the name of its top folder. Throws `UserError` where a part of it is missing or damaged. */
export function readTree(objects: Pick<ObjectStore, 'read'>, id: string): Tree {
  const entries = new Map<string, KeptEntry>();
  const left = new Map<string, LeftReason>();
  const visit = (folderId: string, path: string) => {
    const folder = decodeFolder(objects.read(folderId));
    if (folder === undefined) throw new UserError('damaged', `A part of the snapshot is damaged: ${folderId}.`);
    for (const [name, entry] of folder) {
      const at = joinPath(path, name);
      if (entry.kind === 'left') left.set(at, entry.reason);
      else entries.set(at, entry);
      if (entry.kind === 'folder') visit(entry.id, at);
    }
  };
  visit(id, '');
  return { entries, left };
}
