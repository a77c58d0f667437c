import { OTHER, redoChange, replacePart, rested, restingPlace, undoChange } from './change-composer.ts';
import type { Composer } from './composer.ts';
import {
  type Fold,
  type FoldedText,
  foldAround,
  imageText,
  joinFolded,
  pastedText,
  plainText,
  sliceFolded,
} from './fold.ts';
import { columnOf, layoutOf, placeInRow, rowAbove, rowAt, rowBelow } from './layout.ts';
import { graphemeAfter, graphemeBefore, lineEndOf, lineStartOf, wordAfter, wordBefore } from './places.ts';

/** A change of a draft or of its caret. */
export type EditCommand =
  | { readonly type: 'insert'; readonly text: string }
  /** A large text becomes a fold. */
  | { readonly type: 'paste'; readonly text: string }
  /** `label` says what the image is, such as its size. */
  | { readonly type: 'image'; readonly path: string; readonly label: string }
  | { readonly type: 'move'; readonly to: CaretTarget }
  | { readonly type: 'delete'; readonly what: DeletedPart }
  | { readonly type: 'yank' }
  | { readonly type: 'yank_older' }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' }
  /** Completes a word. The places count in the shown text. */
  | { readonly type: 'replace'; readonly start: number; readonly end: number; readonly text: string }
  /** Puts a text of the history, an editor or a search instead of all. */
  | { readonly type: 'set'; readonly text: string };

/** Places that the caret can go to. `up` and `down` go by shown rows and stay where no row is. */
export type CaretTarget =
  | 'left'
  | 'right'
  | 'word_left'
  | 'word_right'
  | 'line_start'
  | 'line_end'
  | 'start'
  | 'end'
  | 'up'
  | 'down';

/** Parts that can be deleted. Words and lines can be put back by `yank`. */
export type DeletedPart = 'left' | 'right' | 'word_left' | 'word_right' | 'line_start' | 'line_end';

/** Returns a draft after a command. `columns` is the width in which it is shown, for the motions by rows. */
export function editComposer(composer: Composer, command: EditCommand, columns: number): Composer {
  switch (command.type) {
    case 'insert':
      return insert(composer, plainText(command.text), true);
    case 'paste':
      return insert(composer, pastedText(command.text, composer.folds));
    case 'image':
      return insert(composer, imageText(command.path, command.label, composer.folds));
    case 'move':
      return move(composer, command.to, columns);
    case 'delete':
      return DELETIONS[command.what](composer);
    case 'yank':
      return yank(composer, 0, { start: composer.caret, end: composer.caret });
    case 'yank_older':
      return composer.last.kind === 'yanked' ? yank(composer, composer.last.index + 1, composer.last) : composer;
    case 'undo':
      return undoChange(composer);
    case 'redo':
      return redoChange(composer);
    case 'replace':
      return replacePart(composer, bounded(composer, command), plainText(command.text));
    case 'set':
      return replacePart(composer, { start: 0, end: composer.text.length }, plainText(command.text));
  }
}

function insert(composer: Composer, put: FoldedText, isTyped = false): Composer {
  const { caret } = composer;
  return replacePart(composer, { start: caret, end: caret }, put, isTyped ? { kind: 'typed' } : OTHER);
}

/** Returns a part whose ends are in the text and not inside graphemes. */
function bounded(composer: Composer, part: { readonly start: number; readonly end: number }) {
  const within = (at: number) => Math.min(Math.max(0, at), composer.text.length);
  const start = restingPlace(composer, within(Math.min(part.start, part.end)));
  return { start, end: Math.max(start, restingPlace(composer, within(Math.max(part.start, part.end)))) };
}

const PLACES: Readonly<Record<Exclude<CaretTarget, 'up' | 'down'>, (composer: Composer) => number>> = {
  left: ({ caret, ...rest }) => placeBefore(rest, caret),
  right: (composer) => placeAfter(composer, composer.caret),
  word_left: wordLeft,
  word_right: wordRight,
  line_start: (composer) => restingPlace(composer, lineStartOf(composer.text, composer.caret)),
  line_end: ({ text, caret }) => lineEndOf(text, caret),
  start: () => 0,
  end: ({ text }) => text.length,
};

function move(composer: Composer, to: CaretTarget, columns: number): Composer {
  if (to !== 'up' && to !== 'down') return { ...rested(composer, OTHER), caret: PLACES[to](composer) };
  const { text, folds, caret } = composer;
  const layout = layoutOf(text, columns);
  const row = rowAt(layout, caret);
  const goal = composer.goal ?? columnOf(layout, row, caret);
  const target = to === 'up' ? rowAbove(layout, row) : rowBelow(layout, row);
  if (target === undefined) return rested(composer, OTHER);
  const place = placeInRow(layout, target, goal);
  const fold = foldAround(folds, place);
  const outside = fold === undefined ? place : to === 'up' ? fold.start : fold.end;
  return { ...rested(composer, OTHER), caret: restingPlace(composer, outside), goal };
}

function placeBefore(composer: FoldedText, at: number): number {
  let place = at;
  do {
    place = graphemeBefore(composer.text, place);
    place = foldAround(composer.folds, place)?.start ?? place;
  } while (place > 0 && restingPlace(composer, place) !== place);
  return place;
}

const placeAfter = (composer: FoldedText, at: number) => restingPlace(composer, graphemeAfter(composer.text, at));

function wordLeft(composer: Composer): number {
  const { text, folds, caret } = composer;
  const fold = folds.findLast(({ end }) => end <= caret);
  if (fold?.end === caret) return placeBefore(composer, caret);
  const place = wordBefore(text, caret, fold?.end ?? 0);
  return restingPlace(composer, place) === place ? place : placeBefore(composer, place);
}

function wordRight(composer: Composer): number {
  const { text, folds, caret } = composer;
  const fold = folds.find(({ start }) => start >= caret);
  if (fold?.start === caret) return placeAfter(composer, caret);
  return restingPlace(composer, wordAfter(text, caret, fold?.start ?? text.length));
}

const DELETIONS: Readonly<Record<DeletedPart, (composer: Composer) => Composer>> = {
  left: eraseLeft,
  right: (composer) => {
    const { caret } = composer;
    return replacePart(composer, { start: caret, end: placeAfter(composer, caret) }, plainText(''));
  },
  word_left: (composer) => killLeft(composer, wordLeft(composer)),
  word_right: (composer) => killRight(composer, wordRight(composer)),
  line_start: (composer) => {
    const place = PLACES.line_start(composer);
    return killLeft(composer, place === composer.caret ? placeBefore(composer, place) : place);
  },
  line_end: (composer) => {
    const place = PLACES.line_end(composer);
    return killRight(composer, place === composer.caret ? placeAfter(composer, place) : place);
  },
};

/** Erases the character before the caret. A fold is marked first; then a paste is opened and an image goes. */
function eraseLeft(composer: Composer): Composer {
  const { caret, isMarked } = composer;
  const part = { start: placeBefore(composer, caret), end: caret };
  const fold = foldBefore(composer);
  if (fold === undefined) return replacePart(composer, part, plainText(''), { kind: 'erased' });
  if (!isMarked) return { ...rested(composer, OTHER), isMarked: true };
  return replacePart(composer, part, plainText(fold.kind === 'paste' ? fold.text : ''));
}

/** Returns the fold that Backspace would erase. A character may have joined its last one. */
function foldBefore({ folds, text, caret }: Composer): Fold | undefined {
  const start = graphemeBefore(text, caret);
  return folds.find((fold) => fold.start <= start && start < fold.end && caret >= fold.end);
}

const MOST_KILLED = 20;

const killLeft = (composer: Composer, start: number) =>
  kill(composer, { start, end: composer.caret }, (cut, before) => joinFolded(cut, before));

const killRight = (composer: Composer, end: number) =>
  kill(composer, { start: composer.caret, end }, (cut, before) => joinFolded(before, cut));

/** Cuts a part. Parts that are cut one after the other are put back as one. */
function kill(
  composer: Composer,
  part: { readonly start: number; readonly end: number },
  join: (cut: FoldedText, before: FoldedText) => FoldedText,
): Composer {
  if (part.start === part.end) return rested(composer, composer.last.kind === 'killed' ? composer.last : OTHER);
  const cut = sliceFolded(composer, part.start, part.end);
  const [newest, ...older] = composer.killed;
  const goesOn = composer.last.kind === 'killed' && newest !== undefined;
  const killed = goesOn ? [join(cut, newest), ...older] : [cut, ...composer.killed];
  return { ...replacePart(composer, part, plainText(''), { kind: 'killed' }), killed: killed.slice(0, MOST_KILLED) };
}

function yank(composer: Composer, at: number, part: { readonly start: number; readonly end: number }): Composer {
  const { killed } = composer;
  const index = killed.length === 0 ? 0 : at % killed.length;
  const put = killed[index];
  if (put === undefined) return rested(composer, OTHER);
  const end = part.start + put.text.length;
  return replacePart(composer, part, put, { kind: 'yanked', start: part.start, end, index });
}
