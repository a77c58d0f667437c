import type { Item } from '../../base/item.ts';

/**
 * Returns a function that computes a value once for each item. Items never change, and each is sent again with every
 * later request.
 */
export function oncePerItem<I extends Item, T>(make: (item: I) => T): (item: I) => T {
  const made = new WeakMap<I, T>();
  return (item) => {
    let value = made.get(item);
    if (value === undefined) {
      value = make(item);
      made.set(item, value);
    }
    return value;
  };
}

/** Does the same for calls and outputs, whose text depends on the id and the extra content too. */
export function oncePerName<I extends Item>(
  make: (item: I, id: string, extra: string) => string,
): (item: I, id: string, extra: string) => string {
  const made = new WeakMap<I, { readonly id: string; readonly extra: string; readonly text: string }>();
  return (item, id, extra) => {
    const known = made.get(item);
    if (known?.id === id && known.extra === extra) return known.text;
    const text = make(item, id, extra);
    made.set(item, { id, extra, text });
    return text;
  };
}
