/**
 * Returns the name that was probably meant: the one with the fewest wrong, missing or swapped characters, if they are
 * few.
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let limit = Math.min(3, Math.floor(name.length / 3));
  let nearest: string | undefined;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const count = distance(name, candidate);
    if (count > limit) continue;
    nearest = candidate;
    limit = count - 1;
  }
  return nearest;
}

/**
 * Returns the number of characters to change, add, drop or swap with their neighbour to get from one text to the other.
 */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
