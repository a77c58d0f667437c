/** The positions of each distinct line of a file. */
export interface LineIndex {
  /** A number for each line, equal for equal lines. */
  readonly ids: Int32Array;
  /** Returns the number of a line; -1 if the file does not have the line. */
  idOf(line: string): number;
  /** Returns the positions of the line with this number, in order. */
  placesOf(id: number): Int32Array;
}

export function indexLines(lines: readonly string[]): LineIndex {
  const known = new Map<string, number>();
  const ids = new Int32Array(lines.length);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const id = known.get(line) ?? known.size;
    if (id === known.size) known.set(line, id);
    ids[at] = id;
  }
  const ends = countUp(ids, known.size);
  const places = new Int32Array(ids.length);
  const free = ends.slice();
  for (let at = ids.length - 1; at >= 0; at--) {
    const id = ids[at] ?? 0;
    const place = (free[id + 1] ?? 0) - 1;
    free[id + 1] = place;
    places[place] = at;
  }
  return {
    ids,
    idOf: (line) => known.get(line) ?? -1,
    placesOf: (id) => places.subarray(ends[id], ends[id + 1]),
  };
}

/** Returns for each number how many lines have a smaller one, and as the last entry how many lines there are. */
function countUp(ids: Int32Array, size: number): Int32Array {
  const ends = new Int32Array(size + 1);
  for (const id of ids) ends[id + 1] = (ends[id + 1] ?? 0) + 1;
  for (let id = 0; id < size; id++) ends[id + 1] = (ends[id + 1] ?? 0) + (ends[id] ?? 0);
  return ends;
}
