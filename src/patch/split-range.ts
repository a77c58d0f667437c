/** Two sequences and the compared part of each. */
export interface Range {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** Most differences to search for from each end before a good split is accepted as the best. */
const MOST_COST = 512;

/**
 * Progress of two searches, one from each end: for each diagonal (`x - y`, shifted to be positive) the furthest `x`
 * that is reachable with the differences allowed so far.
 */
interface Fronts {
  readonly forward: Int32Array;
  readonly backward: Int32Array;
  /** Shift of the diagonals. */
  readonly zero: number;
}

/** Allocates reusable memory for `splitRange`. */
export function createFronts(a: Int32Array, b: Int32Array): Fronts {
  const size = a.length + b.length + 3;
  return { forward: new Int32Array(size), backward: new Int32Array(size), zero: b.length + 1 };
}

/**
 * Returns a point on a shortest path from the beginning of both parts to their end (Myers, "An O(ND) Difference
 * Algorithm and Its Variations", the linear space refinement). Neither part may be empty, and the parts must begin and
 * end with different values.
 */
export function splitRange(range: Range, fronts: Fronts): readonly [number, number] {
  const { aFrom, aTo, bFrom, bTo } = range;
  const start = aFrom - bFrom;
  const end = aTo - bTo;
  fronts.forward[start + fronts.zero] = aFrom;
  fronts.backward[end + fronts.zero] = aTo;
  const isOdd = ((start - end) & 1) !== 0;
  for (let cost = 1; ; cost++) {
    const ahead = advance(range, fronts, cost, isOdd ? end : undefined);
    if (ahead !== undefined) return ahead;
    const behind = retreat(range, fronts, cost, isOdd ? undefined : start);
    if (behind !== undefined) return behind;
    if (cost >= MOST_COST) return furthest(range, fronts, cost);
  }
}

/**
 * Returns the lowest and the highest diagonal that `cost` differences can reach from the middle one, within the parts.
 * Only every second diagonal between them counts.
 */
function reach(range: Range, middle: number, cost: number): readonly [number, number] {
  const lowest = range.aFrom - range.bTo;
  const highest = range.aTo - range.bFrom;
  let low = middle - cost;
  if (low < lowest) low += 2 * Math.ceil((lowest - low) / 2);
  let high = middle + cost;
  if (high > highest) high -= 2 * Math.ceil((high - highest) / 2);
  return [low, high];
}

/**
 * Allows one more difference from the beginning. Returns the point where the search meets the other one, which has used
 * `cost - 1` differences.
 */
function advance(range: Range, fronts: Fronts, cost: number, other: number | undefined) {
  const { a, b, aFrom, aTo, bFrom, bTo } = range;
  const { forward, backward, zero } = fronts;
  const middle = aFrom - bFrom;
  const [low, high] = reach(range, middle, cost);
  const [knownLow, knownHigh] = reach(range, middle, cost - 1);
  const [metLow, metHigh] = other === undefined ? [1, 0] : reach(range, other, cost - 1);
  for (let diagonal = low; diagonal <= high; diagonal += 2) {
    const right = diagonal - 1 >= knownLow ? (forward[diagonal - 1 + zero] ?? 0) + 1 : -1;
    const down = diagonal + 1 <= knownHigh ? (forward[diagonal + 1 + zero] ?? 0) : -1;
    let x = Math.min(Math.max(right, down), aTo, bTo + diagonal);
    while (x < aTo && x - diagonal < bTo && a[x] === b[x - diagonal]) x++;
    forward[diagonal + zero] = x;
    const isMet = diagonal >= metLow && diagonal <= metHigh && (backward[diagonal + zero] ?? 0) <= x;
    if (isMet) return [x, x - diagonal] as const;
  }
  return undefined;
}

/** Does the same from the end. The other search has used `cost` differences. */
function retreat(range: Range, fronts: Fronts, cost: number, other: number | undefined) {
  const { a, b, aFrom, aTo, bFrom, bTo } = range;
  const { forward, backward, zero } = fronts;
  const middle = aTo - bTo;
  const [low, high] = reach(range, middle, cost);
  const [knownLow, knownHigh] = reach(range, middle, cost - 1);
  const [metLow, metHigh] = other === undefined ? [1, 0] : reach(range, other, cost);
  for (let diagonal = low; diagonal <= high; diagonal += 2) {
    const left = diagonal + 1 <= knownHigh ? (backward[diagonal + 1 + zero] ?? 0) - 1 : aTo + 1;
    const up = diagonal - 1 >= knownLow ? (backward[diagonal - 1 + zero] ?? 0) : aTo + 1;
    let x = Math.max(Math.min(left, up), aFrom, bFrom + diagonal);
    while (x > aFrom && x - diagonal > bFrom && a[x - 1] === b[x - diagonal - 1]) x--;
    backward[diagonal + zero] = x;
    const isMet = diagonal >= metLow && diagonal <= metHigh && x <= (forward[diagonal + zero] ?? 0);
    if (isMet) return [x, x - diagonal] as const;
  }
  return undefined;
}

function furthest(range: Range, { forward, zero }: Fronts, cost: number): readonly [number, number] {
  const [low, high] = reach(range, range.aFrom - range.bFrom, cost);
  let best: readonly [number, number] = [range.aFrom, range.bFrom];
  for (let diagonal = low; diagonal <= high; diagonal += 2) {
    const x = forward[diagonal + zero] ?? 0;
    if (2 * x - diagonal > best[0] + best[1]) best = [x, x - diagonal];
  }
  return best;
}
