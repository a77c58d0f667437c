import { foldLine } from './fold-line.ts';
import { indexLines, type LineIndex } from './line-index.ts';

/** A search for lines in a file, with one way of comparing. */
export interface LineMatcher {
  /** Reports whether the lines stand at this position. */
  matchesAt(wanted: readonly string[], at: number): boolean;
  /** Returns the first position of the lines from `from` on; -1 if there is none. */
  next(wanted: readonly string[], from: number): number;
}

/** The ways of comparing, from strict to loose. Each is tried over the whole range before the next. */
const FORMS: readonly ((line: string) => string)[] = [
  asItIs,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  foldLine,
];

function asItIs(line: string): string {
  return line;
}

/** Number of scans of the file that cost about as much as an index. */
const READINGS_BEFORE_INDEX = 4;

/** Returns the matchers for the lines of a file, strict ones first. A matcher costs nothing until it is used. */
export function createMatchers(lines: readonly string[]): readonly LineMatcher[] {
  return FORMS.map((form) => createMatcher(lines, form));
}

function createMatcher(lines: readonly string[], form: (line: string) => string): LineMatcher {
  let formed: readonly string[] | undefined;
  let index: LineIndex | undefined;
  const budget = { left: READINGS_BEFORE_INDEX * lines.length };
  return {
    matchesAt: (wanted, at) =>
      at + wanted.length <= lines.length && wanted.every((line, nth) => form(lines[at + nth] ?? '') === form(line)),
    next(wanted, from) {
      if (from + wanted.length > lines.length) return -1;
      formed ??= form === asItIs ? lines : lines.map(form);
      const wantedForms = wanted.map(form);
      const scanned = index === undefined ? scan(formed, wantedForms, from, budget) : undefined;
      if (scanned !== undefined) return scanned;
      index ??= indexLines(formed);
      return lookUp(index, wantedForms, from);
    },
  };
}

/** Compares at one position after the other; undefined if the budget of comparisons is used up. */
function scan(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  budget: { left: number },
): number | undefined {
  const last = lines.length - wanted.length;
  for (let at = from; at <= last; at++) {
    let nth = 0;
    while (nth < wanted.length && lines[at + nth] === wanted[nth]) nth++;
    if (nth === wanted.length) return at;
    budget.left -= nth + 1;
    if (budget.left < 0) return undefined;
  }
  return -1;
}

/** Tries the positions of the rarest line, which in most chunks has only one. */
function lookUp(index: LineIndex, wanted: readonly string[], from: number): number {
  const ids = wanted.map((line) => index.idOf(line));
  if (ids.includes(-1)) return -1;
  let rarest = 0;
  let places = index.placesOf(ids[0] ?? 0);
  for (let nth = 1; nth < ids.length; nth++) {
    const others = index.placesOf(ids[nth] ?? 0);
    if (others.length < places.length) [rarest, places] = [nth, others];
  }
  const last = index.ids.length - ids.length;
  for (let place = firstFrom(places, from + rarest); place < places.length; place++) {
    const at = (places[place] ?? 0) - rarest;
    if (at > last) return -1;
    let nth = 0;
    while (nth < ids.length && index.ids[at + nth] === ids[nth]) nth++;
    if (nth === ids.length) return at;
  }
  return -1;
}

/** Returns the index of the first of the sorted places that is not before `from`. */
function firstFrom(places: Int32Array, from: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
