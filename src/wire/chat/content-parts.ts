import type { ContentPart } from '../../base/item.ts';

/** The texts among the parts of a content. */
export function textParts(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'refusal') return [part.refusal];
    return part.type === 'input_text' || part.type === 'output_text' ? [part.text] : [];
  });
}

/** The parts of a content that are no text, in the shape that users' messages have here. */
export function mediaParts(parts: readonly ContentPart[]): readonly object[] {
  return parts.flatMap((part): readonly object[] => {
    if (part.type === 'input_audio') return [part];
    return part.type === 'input_image' ? [imagePart(part)] : [];
  });
}

function imagePart({ image_url, detail }: Extract<ContentPart, { type: 'input_image' }>): object {
  return { type: 'image_url', image_url: { url: image_url, ...(detail !== undefined && { detail }) } };
}
