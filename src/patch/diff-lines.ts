import { type Difference, slideDifferences } from './slide-differences.ts';
import { createFronts, type Range, splitRange } from './split-range.ts';

/**
 * Returns the differences of two texts, by lines. The number of different lines is minimal, unless the texts have so
 * little in common that the search would take long.
 */
export function diffLines(oldLines: readonly string[], newLines: readonly string[]): Difference[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let front = 0;
  while (front < shorter && oldLines[front] === newLines[front]) front++;
  let back = 0;
  while (back < shorter - front && oldLines.at(-1 - back) === newLines.at(-1 - back)) back++;
  const known = new Map<string, number>();
  const a = numberLines(oldLines, front, oldLines.length - back, known);
  const b = numberLines(newLines, front, newLines.length - back, known);
  const [aChanged, bChanged] = changedLines(a, b, known.size);
  return slideDifferences(differences(aChanged, bChanged, front), oldLines, newLines);
}

/** Returns a number for each line, equal for equal lines. */
function numberLines(lines: readonly string[], from: number, to: number, known: Map<string, number>): Int32Array {
  const ids = new Int32Array(to - from);
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    const id = known.get(line) ?? known.size;
    if (id === known.size) known.set(line, id);
    ids[at - from] = id;
  }
  return ids;
}

/** Returns the range without the common prefix and suffix of both parts. */
function trimEqual(range: Range): Range {
  const { a, b } = range;
  let { aFrom, aTo, bFrom, bTo } = range;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  return { a, b, aFrom, aTo, bFrom, bTo };
}

/** Returns for each line of both sides whether it differs. Lines that only one side has differ without a search. */
function changedLines(a: Int32Array, b: Int32Array, idCount: number): readonly [Uint8Array, Uint8Array] {
  const aPlaces = placesInBoth(a, b, idCount);
  const bPlaces = placesInBoth(b, a, idCount);
  const aChanged = new Uint8Array(a.length).fill(1);
  const bChanged = new Uint8Array(b.length).fill(1);
  const ids = (side: Int32Array, places: Int32Array) => places.map((at) => side[at] ?? 0);
  matchLines(ids(a, aPlaces), ids(b, bPlaces), (x, y) => {
    aChanged[aPlaces[x] ?? 0] = 0;
    bChanged[bPlaces[y] ?? 0] = 0;
  });
  return [aChanged, bChanged];
}

function placesInBoth(ids: Int32Array, others: Int32Array, idCount: number): Int32Array {
  const isThere = new Uint8Array(idCount);
  for (const id of others) isThere[id] = 1;
  const places = new Int32Array(ids.length);
  let count = 0;
  for (let at = 0; at < ids.length; at++) if (isThere[ids[at] ?? 0] === 1) places[count++] = at;
  return places.subarray(0, count);
}

/** Calls `match` for each pair of a longest common subsequence. */
function matchLines(a: Int32Array, b: Int32Array, match: (x: number, y: number) => void): void {
  const fronts = createFronts(a, b);
  const open: Range[] = [{ a, b, aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const rest = trimEqual(range);
    for (let x = range.aFrom; x < rest.aFrom; x++) match(x, range.bFrom + x - range.aFrom);
    for (let x = rest.aTo; x < range.aTo; x++) match(x, rest.bTo + x - rest.aTo);
    if (rest.aFrom === rest.aTo || rest.bFrom === rest.bTo) continue;
    const [x, y] = splitRange(rest, fronts);
    open.push({ ...rest, aTo: x, bTo: y }, { ...rest, aFrom: x, bFrom: y });
  }
}

/** Returns runs of different lines, with `front` added to all indexes. */
function differences(aChanged: Uint8Array, bChanged: Uint8Array, front: number): Difference[] {
  const found: Difference[] = [];
  let x = 0;
  let y = 0;
  while (x < aChanged.length || y < bChanged.length) {
    const [oldFrom, newFrom] = [front + x, front + y];
    while (x < aChanged.length && aChanged[x] === 1) x++;
    while (y < bChanged.length && bChanged[y] === 1) y++;
    const [oldTo, newTo] = [front + x, front + y];
    if (oldTo > oldFrom || newTo > newFrom) found.push({ oldFrom, oldTo, newFrom, newTo });
    x++;
    y++;
  }
  return found;
}
