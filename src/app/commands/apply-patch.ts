import { UserError } from '../../base/errors.ts';
import { createTextFiles, type TextFiles } from '../../exec/files/text-files.ts';
import { changeText } from '../../patch/change-text.ts';
import { type Hunk, parsePatch } from '../../patch/parse-patch.ts';
import { PatchError, unreadableForTerminal } from '../../patch/patch-error.ts';

/** Outcome of a patch, in the words of Codex's command. */
export type PatchOutcome =
  | { readonly success: true; readonly text: string }
  | { readonly success: false; readonly text: string };

/** Applies a patch to the files of a folder, one file after the other. Changes made before a failure stay. */
export function applyPatch(patch: string, cwd: string): PatchOutcome {
  try {
    const hunks = read(patch);
    if (hunks.length === 0) return { success: false, text: 'No files were modified.' };
    const files = createTextFiles(cwd);
    for (const hunk of hunks) apply(hunk, files);
    return { success: true, text: summarize(hunks) };
  } catch (error) {
    if (error instanceof PatchError || error instanceof UserError) return { success: false, text: error.message };
    throw error;
  }
}

function read(patch: string): readonly Hunk[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    if (error instanceof PatchError)
      throw new UserError('invalid_input', unreadableForTerminal(error), { cause: error });
    throw error;
  }
}

function apply(hunk: Hunk, files: TextFiles): void {
  if (hunk.type === 'add') files.write(hunk.path, hunk.text);
  else if (hunk.type === 'delete') files.remove(hunk.path);
  else update(hunk, files);
}

function update({ path, to, chunks }: Extract<Hunk, { type: 'update' }>, files: TextFiles): void {
  const before = files.read(path);
  const { mark, text } = splitMark(before);
  const after = changeText(text, chunks, files.resolve(path));
  const whole = after.startsWith(mark) ? after : mark + after;
  if (to === undefined) files.write(path, whole, before);
  else files.move(path, to, whole);
}

/** Splits off the byte order mark, which is not part of the first line. */
function splitMark(whole: string): { mark: string; text: string } {
  const mark = whole.startsWith('\uFEFF') ? '\uFEFF' : '';
  return { mark, text: whole.slice(mark.length) };
}

function summarize(hunks: readonly Hunk[]): string {
  const lines = (['add', 'update', 'delete'] as const).flatMap((type) =>
    hunks.filter((hunk) => hunk.type === type).map(lineOf),
  );
  return ['Success. Updated the following files:', ...lines].join('\n');
}

function lineOf(hunk: Hunk): string {
  if (hunk.type === 'update') return `M ${hunk.to ?? hunk.path}`;
  return `${hunk.type === 'add' ? 'A' : 'D'} ${hunk.path}`;
}
