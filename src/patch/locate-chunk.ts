import type { Chunk } from './hunk.ts';
import type { LineMatcher } from './line-matchers.ts';

/** The file in which chunks are located. */
export interface SearchedFile {
  readonly lines: readonly string[];
  readonly matchers: readonly LineMatcher[];
  /** Whether a line could be the header of a hunk. If not, headers need not be searched for. */
  readonly mayHoldHeaders: boolean;
}

/**
 * The result of a search. `at` is the index of the first old line. `chunk` is the given chunk, possibly without an
 * empty last line.
 */
export type Located =
  | { readonly type: 'found'; readonly at: number; readonly chunk: Chunk; readonly next: number }
  | { readonly type: 'no context'; readonly context: string; readonly from: number }
  | { readonly type: 'no lines'; readonly from: number };

/** Most places that are examined to find the one nearest to a hint. */
const MOST_PLACES = 1000;

/** Locates a chunk from line index `from` on. */
export function locateChunk(file: SearchedFile, asked: Chunk, from: number): Located {
  const chunk = settleHeader(file, asked, from);
  let start = from;
  if (chunk.near === undefined && chunk.context !== undefined) {
    const context = findLines(file, [chunk.context], from);
    if (context === -1) return { type: 'no context', context: chunk.context, from };
    start = context + 1;
  }
  if (chunk.oldLines.length === 0) {
    const isPlaced = chunk.near !== undefined && !chunk.atEnd;
    const at = isPlaced ? clamp((chunk.near ?? 0) - 1, start, file.lines.length) : file.lines.length;
    return { type: 'found', at, chunk, next: isPlaced ? at : start };
  }
  const at = findOldLines(file, chunk, start);
  if (at !== -1) return { type: 'found', at, chunk, next: at + chunk.oldLines.length };
  if (chunk.oldLines.at(-1) !== '') return { type: 'no lines', from: start };
  const shorter = withoutLastEmptyLine(chunk);
  const retried = findOldLines(file, shorter, start);
  if (retried === -1) return { type: 'no lines', from: start };
  return { type: 'found', at: retried, chunk: shorter, next: retried + shorter.oldLines.length };
}

/**
 * Decides whether a unified header is a header or context. It is context if the file has it as a line, in whole or in
 * the form that Codex reads as context.
 */
function settleHeader(file: SearchedFile, chunk: Chunk, from: number): Chunk {
  if (chunk.header === undefined || !file.mayHoldHeaders) return chunk;
  const held = [chunk.header.slice(3), chunk.header].find((line) => findLines(file, [line], from) !== -1);
  if (held === undefined) return chunk;
  const { near: _near, ...plain } = chunk;
  return { ...plain, context: held };
}

function findOldLines(file: SearchedFile, chunk: Chunk, from: number): number {
  const { oldLines, atEnd, near } = chunk;
  if (oldLines.length === 0) return from;
  if (atEnd) {
    const at = Math.max(from, file.lines.length - oldLines.length);
    return file.matchers.some((matcher) => matcher.matchesAt(oldLines, at)) ? at : -1;
  }
  return near === undefined ? findLines(file, oldLines, from) : findNear(file, chunk, from);
}

/**
 * Returns the first position of the lines from `from` on, by the strictest matcher that finds one; -1 if there is none.
 */
export function findLines({ matchers }: SearchedFile, lines: readonly string[], from: number): number {
  for (const matcher of matchers) {
    const at = matcher.next(lines, from);
    if (at !== -1) return at;
  }
  return -1;
}

/**
 * Finds the old lines near a hint. Each matcher tries the exact line of the header, then the lines after the context,
 * then the nearest position. Numbers from a model are often wrong, and git's context may stand before the previous
 * chunk.
 */
function findNear(file: SearchedFile, chunk: Chunk, from: number): number {
  const hint = Math.max((chunk.near ?? 1) - 1, from);
  let behindContext: number | undefined;
  for (const matcher of file.matchers) {
    if (matcher.matchesAt(chunk.oldLines, hint)) return hint;
    const first = matcher.next(chunk.oldLines, from);
    if (first === -1) continue;
    if (chunk.context !== undefined) {
      behindContext ??= findLines(file, [chunk.context], from) + 1;
      const at = behindContext > 0 ? matcher.next(chunk.oldLines, behindContext) : -1;
      if (at !== -1) return at;
    }
    return nearest(matcher, chunk.oldLines, first, hint);
  }
  return -1;
}

function nearest(matcher: LineMatcher, lines: readonly string[], first: number, hint: number): number {
  let best = first;
  let at = first;
  for (let seen = 0; at !== -1 && at < hint; seen++) {
    best = at;
    // For lines that stand everywhere, not every position is worth a look.
    at = matcher.next(lines, seen < MOST_PLACES ? at + 1 : hint);
  }
  return at !== -1 && at - hint < Math.abs(best - hint) ? at : best;
}

/**
 * Removes an empty line at the end of the old lines, which models add although the file does not have it. New lines
 * that end with an empty line lose it too.
 */
function withoutLastEmptyLine(chunk: Chunk): Chunk {
  let marks = [...chunk.marks];
  const lastOld = marks.findLastIndex((mark) => mark !== '+');
  marks[lastOld] = marks[lastOld] === ' ' ? '+' : '';
  marks = marks.filter((mark) => mark !== '');
  const endsEmpty = chunk.newLines.at(-1) === '';
  if (endsEmpty) {
    const lastNew = marks.findLastIndex((mark) => mark !== '-');
    marks[lastNew] = marks[lastNew] === ' ' ? '-' : '';
  }
  return {
    ...chunk,
    oldLines: chunk.oldLines.slice(0, -1),
    newLines: endsEmpty ? chunk.newLines.slice(0, -1) : chunk.newLines,
    marks: marks.join(''),
  };
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
