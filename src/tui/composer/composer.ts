import type { Input } from '../../base/input.ts';
import { type Fold, type FoldedText, foldAround, NO_TEXT } from './fold.ts';

/** The draft of a user: what is shown, the caret, and how to go back. Plain data. */
export interface Composer extends FoldedText {
  /** Place in the text. Never inside a grapheme or a fold. */
  readonly caret: number;
  /** Cells from the left that Up and Down keep to. */
  readonly goal: number | undefined;
  /** Whether the fold before the caret is marked: Backspace then opens it. */
  readonly isMarked: boolean;
  /** Changes that can be undone, oldest first. */
  readonly undo: readonly Change[];
  /** Changes that were undone, the last one at the end. */
  readonly redo: readonly Change[];
  /** Texts that were cut, newest first. */
  readonly killed: readonly FoldedText[];
  readonly last: LastEdit;
}

/** One change of a draft. */
export interface Change {
  readonly start: number;
  readonly removed: FoldedText;
  readonly inserted: FoldedText;
  readonly before: number;
  readonly after: number;
}

/** The command before, where the next one may go on with it. */
export type LastEdit =
  | { readonly kind: 'other' }
  | { readonly kind: 'typed' }
  | { readonly kind: 'erased' }
  | { readonly kind: 'killed' }
  /** The text at `start` is the entry `index` of the cut texts. */
  | { readonly kind: 'yanked'; readonly start: number; readonly end: number; readonly index: number };

export const EMPTY_COMPOSER: Composer = {
  ...NO_TEXT,
  caret: 0,
  goal: undefined,
  isMarked: false,
  undo: [],
  redo: [],
  killed: [],
  last: { kind: 'other' },
};

/** Returns the text of a draft: pastes opened, images as their labels. */
export function composerText({ text, folds }: FoldedText): string {
  let whole = '';
  let at = 0;
  for (const fold of folds) {
    whole += text.slice(at, fold.start) + (fold.kind === 'paste' ? fold.text : text.slice(fold.start, fold.end));
    at = fold.end;
  }
  return whole + text.slice(at);
}

/** Returns a draft as the input of a turn. Images follow the text, in which their labels stand. */
export function composerInput(composer: FoldedText): Input {
  const text = composerText(composer);
  const images = composer.folds.flatMap((fold) => (fold.kind === 'image' ? [fold.path] : []));
  if (images.length === 0) return text;
  return [{ type: 'text', text }, ...images.map((path) => ({ type: 'local_image' as const, path }))];
}

/** Reports whether there is nothing to send or to lose. */
export const isComposerEmpty = (composer: Composer): boolean => composer.text === '';

/** Returns a composer with a kept draft, the caret at its end. Folds that do not fit the text are left out. */
export function composerOf({ text, folds }: FoldedText): Composer {
  const kept: Fold[] = [];
  for (const fold of folds)
    if (fold.start >= (kept.at(-1)?.end ?? 0) && fold.end > fold.start && fold.end <= text.length) kept.push(fold);
  return { ...EMPTY_COMPOSER, text, folds: kept, caret: text.length };
}

/** Returns the text without spaces around the caret, for `@` and `/`: its ends in the shown text, and itself. */
export function wordAtCaret({ text, folds, caret }: Composer): WordAtCaret {
  const isPart = (at: number) => at >= 0 && at < text.length && !/\s/.test(text[at] ?? '') && !isInFold(folds, at);
  let [start, end] = [caret, caret];
  while (isPart(start - 1)) start -= 1;
  while (isPart(end)) end += 1;
  return { start, end, text: text.slice(start, end) };
}

/** A word of the shown text. */
export interface WordAtCaret {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const isInFold = (folds: readonly Fold[], at: number) =>
  folds.some((fold) => fold.start === at) || foldAround(folds, at) !== undefined;
