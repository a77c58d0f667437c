import type { Item } from '../../base/item.ts';

/** An id for an item that came without one, different from those already taken. */
export function freshId(type: Item['type'], taken: { has(id: string): boolean }): string {
  let n = 0;
  while (taken.has(`${type}_${n}`)) n++;
  return `${type}_${n}`;
}
