/** A run of lines that differ: old ones from `oldFrom` to before `oldTo`, and what stands in their place. */
export interface Difference {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** How far a difference is moved, at most. */
const MOST_STEPS = 100;

/**
 * Lines added or removed among lines like them can be told from these in several ways. Takes the one that reads best:
 * whole blocks, with the empty line behind rather than before them.
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
    // One line between two differences stays, so that they stay two.
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

/** How bad it is to begin something new with this line: deep inside a block is worse, an empty line a little. */
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
