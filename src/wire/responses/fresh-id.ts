import type { Item } from '../../base/item.ts';

/** Returns an id for an item that came without one, different from those in `taken`. */
export function freshId(type: Item['type'], taken: { has(id: string): boolean }): string {
  let n = 0;
  while (taken.has(`${type}_${n}`)) n++;
  return `${type}_${n}`;
}
