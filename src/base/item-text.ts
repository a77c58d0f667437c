import type { Item } from './item.ts';

const texts = new WeakMap<Item, string>();

/**
 * The one serialisation of an item. The rollout line, the request and the next request carry these very characters, so
 * an item is serialised once in its life and the prefix of consecutive requests cannot differ by accident.
 */
export function itemText(item: Item): string {
  let text = texts.get(item);
  if (text === undefined) {
    text = JSON.stringify(item);
    texts.set(item, text);
  }
  return text;
}
