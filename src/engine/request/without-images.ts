import type { ContentPart, Item, Output } from '../../base/item.ts';
import { isCallOutput } from '../../base/item.ts';

/** Text that replaces an image which the model cannot see. */
const IMAGE_LEFT_OUT: ContentPart = {
  type: 'input_text',
  text: '[An image was here. It is left out: this model cannot look at images.]',
};

/** Returns the item with texts in place of images, or the item itself if it has no images. */
export function withoutImages(item: Item): Item {
  if (item.type === 'message') {
    return item.content.some(isImage) ? { ...item, content: item.content.map(asText) } : item;
  }
  if (!isCallOutput(item) || typeof item.output === 'string' || !item.output.some(isImage)) return item;
  return { ...item, output: asOutput(item.output.map(asText)) };
}

function isImage({ type }: ContentPart): boolean {
  return type === 'input_image';
}

function asText(part: ContentPart): ContentPart {
  return isImage(part) ? IMAGE_LEFT_OUT : part;
}

/** Returns an output. A single text is always a string. */
function asOutput(parts: readonly ContentPart[]): Output {
  const [first, ...others] = parts;
  return others.length === 0 && first?.type === 'input_text' ? first.text : parts;
}
