/** A part of a draft that stands for more: a large paste, or an image. It moves and goes as one character does. */
export type Fold =
  | { readonly kind: 'paste'; readonly start: number; readonly end: number; readonly text: string }
  | { readonly kind: 'image'; readonly start: number; readonly end: number; readonly path: string };

/** Text with its folds, whose places count from the beginning of the text. */
export interface FoldedText {
  readonly text: string;
  /** In order, and apart from each other. */
  readonly folds: readonly Fold[];
}

export const NO_TEXT: FoldedText = { text: '', folds: [] };

const MOST_LINES = 10;
const MOST_CHARACTERS = 1000;

/** Returns a plain text. Its line ends become line feeds. */
export const plainText = (text: string): FoldedText => ({ text: withFeeds(text), folds: [] });

/** Returns a pasted text, as a fold where it is large. `folds` are those of the draft, for the number of the new one. */
export function pastedText(pasted: string, folds: readonly Fold[]): FoldedText {
  const text = withFeeds(pasted);
  const lines = countLines(text);
  if (lines <= MOST_LINES && text.length <= MOST_CHARACTERS) return { text, folds: [] };
  const size = lines > MOST_LINES ? `${grouped(lines)} lines` : `${grouped(text.length)} characters`;
  const label = `[paste ${nextNumber(folds, 'paste')}: ${size}]`;
  return { text: label, folds: [{ kind: 'paste', start: 0, end: label.length, text }] };
}

/** Returns the fold of an image. `about` says what it is, such as its size. */
export function imageText(path: string, about: string, folds: readonly Fold[]): FoldedText {
  const number = nextNumber(folds, 'image');
  const label = about === '' ? `[image ${number}]` : `[image ${number}: ${withFeeds(about).replaceAll('\n', ' ')}]`;
  return { text: label, folds: [{ kind: 'image', start: 0, end: label.length, path }] };
}

const nextNumber = (folds: readonly Fold[], kind: Fold['kind']) =>
  folds.filter((fold) => fold.kind === kind).length + 1;

/** Returns the part of a text between two places, neither of which is inside a fold. */
export function sliceFolded({ text, folds }: FoldedText, start: number, end: number): FoldedText {
  const inside = folds.filter((fold) => fold.start >= start && fold.end <= end);
  return { text: text.slice(start, end), folds: inside.map((fold) => moved(fold, -start)) };
}

/** Returns a text with another one instead of a part of it, whose ends are not inside folds. */
export function spliceFolded({ text, folds }: FoldedText, start: number, end: number, put: FoldedText): FoldedText {
  const shift = put.text.length - (end - start);
  return {
    text: text.slice(0, start) + put.text + text.slice(end),
    folds: [
      ...folds.filter((fold) => fold.end <= start),
      ...put.folds.map((fold) => moved(fold, start)),
      ...folds.filter((fold) => fold.start >= end).map((fold) => moved(fold, shift)),
    ],
  };
}

/** Returns two texts as one. */
export const joinFolded = (one: FoldedText, two: FoldedText): FoldedText =>
  spliceFolded(one, one.text.length, one.text.length, two);

const moved = (fold: Fold, by: number): Fold => ({ ...fold, start: fold.start + by, end: fold.end + by });

/** Returns the fold around a place that is not at its ends. */
export const foldAround = (folds: readonly Fold[], at: number): Fold | undefined =>
  folds.find((fold) => fold.start < at && at < fold.end);

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Returns a number with a comma between groups of digits. */
const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const withFeeds = (text: string) => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);
