import type { Change, Composer, LastEdit } from './composer.ts';
import { type FoldedText, foldAround, joinFolded, sliceFolded, spliceFolded } from './fold.ts';
import { boundaryFrom } from './places.ts';

/** Changes that are kept to be undone. */
const MOST_CHANGES = 500;

export const OTHER: LastEdit = { kind: 'other' };

/** Returns a draft with a part replaced, as one change that can be undone. Folds at the ends of the part go as a whole. */
export function replacePart(
  composer: Composer,
  part: { readonly start: number; readonly end: number },
  put: FoldedText,
  last: LastEdit = OTHER,
): Composer {
  const start = foldAround(composer.folds, part.start)?.start ?? part.start;
  const end = foldAround(composer.folds, part.end)?.end ?? part.end;
  if (start === end && put.text === '') return rested(composer, last);
  const removed = sliceFolded(composer, start, end);
  const changed = spliceFolded(composer, start, end, put);
  const after = restingPlace(changed, start + put.text.length);
  const change = { start, removed, inserted: put, before: composer.caret, after };
  const undo = joined(composer, change, last);
  return { ...rested(composer, last), ...changed, caret: after, undo: undo.slice(-MOST_CHANGES), redo: [] };
}

/** Returns a draft at rest: no mark and no column to keep. */
export const rested = (composer: Composer, last: LastEdit): Composer => ({
  ...composer,
  goal: undefined,
  isMarked: false,
  last,
});

/** Returns a place where the caret may stand, not before `at`. */
export function restingPlace({ text, folds }: FoldedText, at: number): number {
  let place = at;
  for (;;) {
    const next = boundaryFrom(text, foldAround(folds, place)?.end ?? place);
    if (next === place) return place;
    place = next;
  }
}

/** Returns the changes with another one. Characters that are typed or erased one after the other are one change. */
function joined({ undo, last: previous }: Composer, change: Change, last: LastEdit): readonly Change[] {
  const before = undo.at(-1);
  const goesOn = before !== undefined && previous.kind === last.kind && before.after === change.before;
  if (goesOn && last.kind === 'typed' && continuesWord(before, change))
    return [
      ...undo.slice(0, -1),
      { ...before, inserted: joinFolded(before.inserted, change.inserted), after: change.after },
    ];
  if (goesOn && last.kind === 'erased' && change.start + change.removed.text.length === before.start && isPlain(before))
    return [
      ...undo.slice(0, -1),
      { ...before, start: change.start, removed: joinFolded(change.removed, before.removed), after: change.after },
    ];
  return [...undo, change];
}

const isPlain = ({ inserted }: Change) => inserted.text === '';

/** Reports whether a typed text belongs to the word before: a word and the spaces after it are undone together. */
function continuesWord(before: Change, { start, removed, inserted }: Change): boolean {
  const follows = removed.text === '' && start === before.start + before.inserted.text.length;
  return follows && !(/\s$/.test(before.inserted.text) && /^\S/.test(inserted.text));
}

/** Returns the draft before its last change. */
export function undoChange(composer: Composer): Composer {
  const change = composer.undo.at(-1);
  if (change === undefined) return rested(composer, OTHER);
  const changed = spliceFolded(composer, change.start, change.start + change.inserted.text.length, change.removed);
  const { undo, redo } = composer;
  const back = { undo: undo.slice(0, -1), redo: [...redo, change] };
  return { ...rested(composer, OTHER), ...changed, ...back, caret: change.before };
}

/** Returns the draft with the change again that was undone last. */
export function redoChange(composer: Composer): Composer {
  const change = composer.redo.at(-1);
  if (change === undefined) return rested(composer, OTHER);
  const changed = spliceFolded(composer, change.start, change.start + change.removed.text.length, change.inserted);
  const { undo, redo } = composer;
  const again = { undo: [...undo, change], redo: redo.slice(0, -1) };
  return { ...rested(composer, OTHER), ...changed, ...again, caret: change.after };
}
