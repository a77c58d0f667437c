import type { ContentPart, Item } from './item.ts';

const texts = new WeakMap<Item, string>();

/**
 * Returns the one serialisation of an item. Rollout line, request and next request all contain these characters. An
 * item is serialised once in its life, so the prefix of consecutive requests cannot differ by accident.
 */
export function itemText(item: Item): string {
  let text = texts.get(item);
  if (text === undefined) {
    text = JSON.stringify(item);
    texts.set(item, text);
  }
  return text;
}

/** Length from which a second copy in memory matters. */
const LARGE_CHARACTERS = 10_000;

/**
 * Returns the same item with its large images as slices of its serialisation. V8 keeps a slice without copying it, so
 * each image is in memory once.
 */
export function withSharedImages(item: Item): Item {
  if (item.type === 'message') {
    const content = sharedParts(item.content, item);
    return content === item.content ? item : alike(item, { ...item, content });
  }
  if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return item;
  if (typeof item.output === 'string') return item;
  const output = sharedParts(item.output, item);
  return output === item.output ? item : alike(item, { ...item, output });
}

function sharedParts(parts: readonly ContentPart[], item: Item): readonly ContentPart[] {
  const isLarge = (part: ContentPart) => part.type === 'input_image' && part.image_url.length > LARGE_CHARACTERS;
  if (!parts.some(isLarge)) return parts;
  const text = itemText(item);
  return parts.map((part) => {
    if (part.type !== 'input_image' || !isLarge(part)) return part;
    const { length } = part.image_url;
    const at = text.indexOf(part.image_url);
    return at < 0 ? part : { ...part, image_url: text.slice(at, at + length) };
  });
}

function alike(item: Item, shared: Item): Item {
  texts.set(shared, itemText(item));
  return shared;
}
