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

/** Does the same for values that depend on texts too. The value for the latest texts is kept. */
export function oncePerTexts<I extends Item, T>(
  make: (item: I, ...texts: readonly string[]) => T,
): (item: I, ...texts: readonly string[]) => T {
  const made = new WeakMap<I, { readonly texts: readonly string[]; readonly value: T }>();
  return (item, ...texts) => {
    const known = made.get(item);
    if (known?.texts.every((text, at) => text === texts[at])) return known.value;
    const value = make(item, ...texts);
    made.set(item, { texts, value });
    return value;
  };
}
