import { changeText } from '../../../src/patch/change-text.ts';
import { type Hunk, parsePatch } from '../../../src/patch/parse-patch.ts';
import { PatchError, unreadableForTerminal } from '../../../src/patch/patch-error.ts';
import type { Tree } from './read-scenarios.ts';

interface Applied {
  readonly tree: Tree;
  readonly error: string | undefined;
}

/** Applies a patch to a tree in memory as the command does to the disk: in order, without rollback. */
export function applyInMemory(before: Tree, patch: string): Applied {
  const tree = new Map(before);
  try {
    const hunks = readHunks(patch);
    for (const hunk of hunks) applyHunk(tree, hunk);
    if (hunks.length === 0) throw new PatchError('No files were modified.');
    return { tree: sorted(tree), error: undefined };
  } catch (error) {
    if (error instanceof PatchError) return { tree: sorted(tree), error: error.message };
    throw error;
  }
}

function readHunks(patch: string): readonly Hunk[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    throw error instanceof PatchError ? new PatchError(unreadableForTerminal(error)) : error;
  }
}

function applyHunk(tree: Map<string, string>, hunk: Hunk): void {
  if (hunk.type === 'add') tree.set(hunk.path, hunk.text);
  else if (hunk.type === 'delete') {
    if (!tree.delete(hunk.path)) throw new PatchError(`Failed to delete file ${hunk.path}`);
  } else {
    const before = tree.get(hunk.path);
    if (before === undefined) throw new PatchError(`Failed to read file to update ${hunk.path}`);
    const after = changeText(before, hunk.chunks, hunk.path);
    if (hunk.to !== undefined) tree.delete(hunk.path);
    tree.set(hunk.to ?? hunk.path, after);
  }
}

const sorted = (tree: Tree) => new Map([...tree].sort(([a], [b]) => (a < b ? -1 : 1)));
