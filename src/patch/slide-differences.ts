/**
 * A run of different lines: the old lines from `oldFrom` up to but not including `oldTo`, and the new lines in their
 * place.
 */
export interface Difference {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Most lines by which a difference is moved. */
const MOST_STEPS = 100;

/**
 * Moves differences to where they read best. Lines that are added or removed among similar lines can be marked in
 * several ways. Whole blocks are preferred, with the empty line after them and not before.
 */
export function slideDifferences(
  found: readonly Difference[],
  oldLines: readonly string[],
  newLines: readonly string[],
): Difference[] {
  const settled: Difference[] = [];
  for (const [at, difference] of found.entries()) {
    const { oldFrom, oldTo, newFrom, newTo } = difference;
    const isAddition = oldFrom === oldTo;
    const isRemoval = newFrom === newTo;
    if (!isAddition && !isRemoval) {
      settled.push(difference);
      continue;
    }
    const lines = isAddition ? newLines : oldLines;
    const [from, to] = isAddition ? [newFrom, newTo] : [oldFrom, oldTo];
    // At least one line stays between two differences, so that they stay separate.
    const before = settled.at(-1);
    const after = found[at + 1];
    const lowest = before === undefined ? 0 : (isAddition ? before.newTo : before.oldTo) + 1;
    const highest = after === undefined ? lines.length : (isAddition ? after.newFrom : after.oldFrom) - 1;
    const steps = bestSteps(lines, { from, to, lowest, highest });
    settled.push({
      oldFrom: oldFrom + steps,
      oldTo: oldTo + steps,
      newFrom: newFrom + steps,
      newTo: newTo + steps,
    });
  }
  return settled;
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly lowest: number;
  readonly highest: number;
}

function bestSteps(lines: readonly string[], { from, to, lowest, highest }: Run): number {
  let steps = 0;
  while (from + steps > lowest && steps > -MOST_STEPS && lines[from + steps - 1] === lines[to + steps - 1]) steps--;
  let best = steps;
  let least = Number.POSITIVE_INFINITY;
  for (; ; steps++) {
    const cost = cutCost(lines, from + steps) + cutCost(lines, to + steps);
    if (cost <= least) [best, least] = [steps, cost];
    const mayMove = to + steps < highest && steps < MOST_STEPS && lines[from + steps] === lines[to + steps];
    if (!mayMove) return best;
  }
}

/** Returns the cost of beginning a block at this line. Indentation costs most, an empty line a little. */
function cutCost(lines: readonly string[], at: number): number {
  const line = lines[at];
  if (line === undefined) return 0;
  const next = line.trim() === '' ? lines[at + 1] : line;
  return 2 * indentOf(next ?? '') + (next === line ? 0 : 1);
}

function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === '\t') width += 8;
    else if (character === ' ') width++;
    else break;
  }
  return width;
}
