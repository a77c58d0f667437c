/** Does the same as the method of arrays, which leaves V8's optimised code for each entry. */
export function flatMap<T, U>(list: readonly T[], map: (entry: T, index: number) => readonly U[]): U[] {
  const flat: U[] = [];
  for (let index = 0; index < list.length; index++) {
    for (const entry of map(list[index] as T, index)) flat.push(entry);
  }
  return flat;
}
