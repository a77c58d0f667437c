import { foldLine } from './fold-line.ts';
import type { Chunk } from './hunk.ts';
import { indexLines } from './line-index.ts';
import { findLines, type SearchedFile } from './locate-chunk.ts';

/** Bounds on the search for the closest place, so that a failure stays cheap for any file and patch. */
const MOST_LINES = 200;
const MOST_PLACES = 500;
const MOST_CHARACTERS = 400;

/** Lines with less in common do not count as similar. */
const LEAST_LIKENESS = 0.5;
/** Shorter lines, such as braces, stand everywhere. */
const LEAST_LENGTH = 3;

/** Most characters of a line that are shown. */
const SHOWN = 80;

/** Returns a sentence on where in the file the chunk's old lines might belong. */
export function closestToLines(file: SearchedFile, chunk: Chunk, from: number): string {
  const { oldLines, atEnd } = chunk;
  const elsewhere = findLines(file, oldLines, 0);
  if (elsewhere !== -1 && atEnd) return `They stand at line ${elsewhere + 1}, not at the end of the file.`;
  if (elsewhere !== -1) return `They stand at line ${elsewhere + 1}, ${beforeTheSearch(from)}`;
  const folded = file.lines.map(foldLine);
  const wanted = oldLines.slice(0, MOST_LINES).map(foldLine);
  const at = placeByEqualLines(folded, wanted, chunk.near ?? from) ?? placeByLikeLine(folded, wanted);
  if (at === undefined) return file.lines.length === 0 ? 'The file is empty.' : 'The file has no lines like these.';
  const start = Math.max(at, 0);
  const equal = wanted.filter((line, nth) => folded[at + nth] === line).length;
  const different = wanted.findIndex((line, nth) => folded[at + nth] !== line);
  const amount = `${equal} of ${wanted.length} ${wanted.length === 1 ? 'line is' : 'lines are'} the same`;
  return `The closest place is line ${start + 1}, where ${amount}: ${difference(file, oldLines, at, different)}.`;
}

/** Returns a sentence on which line might have been meant as context. */
export function closestToContext(file: SearchedFile, context: string, from: number): string {
  const elsewhere = findLines(file, [context], 0);
  if (elsewhere !== -1) return `It stands at line ${elsewhere + 1}, ${beforeTheSearch(from)}`;
  const at = placeByLikeLine(file.lines.map(foldLine), [foldLine(context)]);
  if (at === undefined) return file.lines.length === 0 ? 'The file is empty.' : 'The file has no line like it.';
  return `The closest is line ${at + 1}: ${difference(file, [context], at, 0)}.`;
}

const beforeTheSearch = (from: number) =>
  `before line ${from + 1}, where the search began: behind the chunks before and the context.`;

/** Returns the place with the most equal lines, weighted by length. Among equals, the one nearest to `hint` wins. */
function placeByEqualLines(lines: readonly string[], wanted: readonly string[], hint: number): number | undefined {
  const index = indexLines(lines);
  const weights = new Map<number, number>();
  for (const [nth, line] of wanted.entries()) {
    const id = line === '' ? -1 : index.idOf(line);
    if (id === -1) continue;
    for (const place of index.placesOf(id).subarray(0, MOST_PLACES)) {
      weights.set(place - nth, (weights.get(place - nth) ?? 0) + line.length);
    }
  }
  let best: number | undefined;
  let most = LEAST_LENGTH - 1;
  for (const [at, weight] of weights) {
    const isNearer = best !== undefined && Math.abs(at - hint) < Math.abs(best - hint);
    if (weight > most || (weight === most && isNearer)) [best, most] = [at, weight];
  }
  return best;
}

/** Returns the place at which the longest wanted line meets the line most similar to it. */
function placeByLikeLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const nth = wanted.reduce((longest, line, at) => (line.length > (wanted[longest]?.length ?? 0) ? at : longest), 0);
  const line = wanted[nth]?.slice(0, MOST_CHARACTERS) ?? '';
  if (line.length < LEAST_LENGTH) return undefined;
  let best: number | undefined;
  let most = LEAST_LIKENESS;
  for (let at = 0; at < lines.length; at++) {
    const like = likeness(line, lines[at] ?? '', most);
    if (like > most) [best, most] = [at, like];
  }
  return best === undefined ? undefined : best - nth;
}

/** Returns the share of the longer line that is a common prefix or suffix. Skips lines that cannot exceed `most`. */
function likeness(a: string, b: string, most: number): number {
  const shorter = Math.min(a.length, b.length);
  const longer = Math.max(a.length, b.length);
  if (shorter <= most * longer) return 0;
  let front = 0;
  while (front < shorter && a.charCodeAt(front) === b.charCodeAt(front)) front++;
  let back = 0;
  while (back < shorter - front && a.charCodeAt(a.length - 1 - back) === b.charCodeAt(b.length - 1 - back)) back++;
  return (front + back) / longer;
}

function difference(file: SearchedFile, wanted: readonly string[], at: number, nth: number): string {
  const expected = wanted[nth] ?? '';
  const found = file.lines[at + nth];
  if (at + nth < 0) return `the file begins only after ${show(expected, 0)}`;
  if (found === undefined) return `the file ends before ${show(expected, 0)}`;
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same++;
  return `line ${at + nth + 1} is ${show(found, same)}, not ${show(expected, same)}`;
}

/** Returns a line in quotes. Of a long line, only the part around the first difference is shown. */
function show(line: string, from: number): string {
  if (line.length <= SHOWN) return JSON.stringify(line);
  const start = Math.max(0, Math.min(from - SHOWN / 2, line.length - SHOWN));
  const part = line.slice(start, start + SHOWN);
  return `${start > 0 ? '…' : ''}${JSON.stringify(part)}${start + SHOWN < line.length ? '…' : ''}`;
}
