/** Finds names by some of their letters, in order. */
export interface Fuzzy {
  /** Adds names. Searches find them from then on. */
  add(names: readonly string[]): void;
  /** Returns the best names, best first. Capital letters and spaces of the query do not count. */
  search(query: string, limit: number): FuzzyMatch[];
  readonly size: number;
}

/** A found name. */
export interface FuzzyMatch {
  readonly name: string;
  /** Higher is better. Comparable within one search. */
  readonly score: number;
  /** Places of the found letters in the name, in order. */
  readonly marks: readonly number[];
}

/**
 * Returns a finder for names such as paths. A mask of the letters of each name rules out most names at once. The letters
 * are then looked for from the end, since people type the end of a path. Beginnings of words, letters in a row and the
 * last part of a path count more.
 */
export function createFuzzy(names: readonly string[] = []): Fuzzy {
  const entries: Entry[] = [];
  /** The last search: a longer query finds only names that it found. */
  let last: { query: string; found: readonly Entry[]; size: number } = { query: '', found: [], size: 0 };
  const add = (more: readonly string[]) => {
    for (const name of more) entries.push(entryOf(name));
  };
  const candidates = (query: string): readonly Entry[] => {
    if (last.query === '' || !query.startsWith(last.query)) return entries;
    return last.size === entries.length ? last.found : [...last.found, ...entries.slice(last.size)];
  };
  add(names);
  return {
    add,
    get size() {
      return entries.length;
    },
    search(given, limit) {
      const query = given.toLowerCase().replace(/\s/g, '');
      if (query === '') return entries.slice(0, limit).map(({ name }) => ({ name, score: 0, marks: [] }));
      const { found, best } = searchIn(candidates(query), query, limit);
      last = { query, found, size: entries.length };
      return best.map(({ entry, score }) => ({ name: entry.name, score, marks: marksOf(entry, query) }));
    },
  };
}

interface Entry {
  readonly name: string;
  readonly lower: string;
  readonly mask: number;
  /** Where the last part of the path begins. */
  readonly base: number;
}

interface Scored {
  readonly entry: Entry;
  readonly score: number;
}

function entryOf(name: string): Entry {
  const small = name.toLowerCase();
  // Some letters are longer as small ones. Then places in the two texts would differ.
  const lower = small.length === name.length ? small : name;
  return { name, lower, mask: maskOf(lower), base: name.lastIndexOf('/', name.length - 2) + 1 };
}

/** Returns a bit for each letter of a text. Digits share four bits, and all other characters one. */
function maskOf(text: string): number {
  let mask = 0;
  for (let at = 0; at < text.length; at += 1) mask |= 1 << bitOf(text.charCodeAt(at));
  return mask;
}

function bitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? 26 + (code & 3) : 30;
}

function searchIn(entries: readonly Entry[], query: string, limit: number): { found: Entry[]; best: Scored[] } {
  const mask = maskOf(query);
  const places = new Int32Array(query.length);
  const found: Entry[] = [];
  const best: Scored[] = [];
  for (const entry of entries) {
    if ((entry.mask & mask) !== mask) continue;
    const score = scoreOf(entry, query, places);
    if (score === NO_MATCH) continue;
    found.push(entry);
    keepBest(best, { entry, score }, limit);
  }
  return { found, best };
}

/** Puts a match into the list of the best, which is in order. Of equal ones the earlier stays in front. */
function keepBest(best: Scored[], match: Scored, limit: number): void {
  if (best.length >= limit && match.score <= (best.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) return;
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < match.score) at -= 1;
  best.splice(at, 0, match);
  if (best.length > limit) best.pop();
}

const NO_MATCH = Number.NEGATIVE_INFINITY;

const IN_A_ROW = 5;
const WORD_START = 6;
const IN_BASE = 3;
const BASE_START = 8;
const WHOLE_BASE = 10;
const PER_CHARACTER = 0.05;

/** Returns the score of the better of two ways to find the query, and writes its places. */
function scoreOf(entry: Entry, query: string, places: Int32Array): number {
  if (!findFromEnd(entry.lower, query, places)) return NO_MATCH;
  const spread = scoreAt(entry, places);
  const whole = entry.lower.lastIndexOf(query);
  if (whole < 0 || whole === places[0]) return spread;
  for (let index = 0; index < query.length; index += 1) places[index] = whole + index;
  const together = scoreAt(entry, places);
  if (together >= spread) return together;
  findFromEnd(entry.lower, query, places);
  return spread;
}

/** Finds each letter of the query as far to the right as it can be. */
function findFromEnd(lower: string, query: string, places: Int32Array): boolean {
  let index = query.length - 1;
  let wanted = query.charCodeAt(index);
  for (let at = lower.length - 1; at >= index; at -= 1) {
    if (lower.charCodeAt(at) !== wanted) continue;
    places[index] = at;
    if (index === 0) return true;
    index -= 1;
    wanted = query.charCodeAt(index);
  }
  return false;
}

function scoreAt({ name, base }: Entry, places: Int32Array): number {
  const count = places.length;
  let score = -name.length * PER_CHARACTER;
  let previous = -2;
  for (let index = 0; index < count; index += 1) {
    const place = places[index] ?? 0;
    if (place === previous + 1) score += IN_A_ROW;
    if (place >= base) score += IN_BASE;
    if (isWordStart(name, place)) score += WORD_START;
    previous = place;
  }
  const isAtBase = places[0] === base && previous - base === count - 1;
  if (!isAtBase) return score;
  const isWhole = base + count === name.length || name[base + count] === '.';
  return score + BASE_START + (isWhole ? WHOLE_BASE : 0);
}

/** Reports whether a word begins at a place: after a sign, at a capital letter after a small one, at a digit after a letter. */
function isWordStart(name: string, at: number): boolean {
  if (at === 0) return true;
  const before = name.charCodeAt(at - 1);
  const code = name.charCodeAt(at);
  if (!isLetterOrDigit(code)) return false;
  return !isLetterOrDigit(before) || (isCapital(code) && !isCapital(before)) || (isDigit(code) && !isDigit(before));
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isCapital = (code: number) => code >= 0x41 && code <= 0x5a;
const isLetterOrDigit = (code: number) =>
  isDigit(code) || isCapital(code) || (code >= 0x61 && code <= 0x7a) || code > 0x7f;

function marksOf(entry: Entry, query: string): number[] {
  const places = new Int32Array(query.length);
  scoreOf(entry, query, places);
  return [...places];
}
