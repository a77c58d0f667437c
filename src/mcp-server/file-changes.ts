import type { PatchChange } from '../base/action.ts';
import type { ShownChange } from '../base/event.ts';
import { gitDiff } from '../patch/git-diff.ts';

/** A change of a file as Codex writes it. */
export type CodexMessageChange =
  | { readonly type: 'add' | 'delete'; readonly content: string }
  | { readonly type: 'update'; readonly unified_diff: string; readonly move_path: string | null };

/** Returns the changes of a patch by their paths. */
export function shownFileChanges(changes: readonly ShownChange[]): Readonly<Record<string, CodexMessageChange>> {
  return Object.fromEntries(changes.map((change) => [change.path, ofShown(change)]));
}

/** Returns the changes that a patch intends, by their paths. */
export function plannedFileChanges(changes: readonly PatchChange[]): Readonly<Record<string, CodexMessageChange>> {
  return Object.fromEntries(changes.map((change) => [change.path, ofPlanned(change)]));
}

function ofShown({ kind, to, diff }: ShownChange): CodexMessageChange {
  if (kind === 'update') return { type: 'update', unified_diff: hunksOf(diff), move_path: to ?? null };
  return { type: kind, content: sideOf(diff, kind === 'add' ? '+' : '-') };
}

function ofPlanned({ type, path, to, before, after }: PatchChange): CodexMessageChange {
  if (type === 'add') return { type, content: after ?? '' };
  if (type === 'delete') return { type, content: before ?? '' };
  return { type, unified_diff: hunksOf(gitDiff({ path, before, after })), move_path: to ?? null };
}

/** Returns a git diff without the lines about the file, which Codex leaves out. */
function hunksOf(diff: string): string {
  const at = diff.search(/^@@ /m);
  return at < 0 ? '' : diff.slice(at);
}

/** Returns the text on one side of a diff that has all of it. */
function sideOf(diff: string, side: '+' | '-'): string {
  const lines = hunksOf(diff).split('\n');
  const text = lines.filter((line) => line.startsWith(side)).map((line) => `${line.slice(1)}\n`);
  const isEnded = !lines[lines.findLastIndex((line) => line.startsWith(side)) + 1]?.startsWith('\\');
  return isEnded ? text.join('') : text.join('').slice(0, -1);
}
