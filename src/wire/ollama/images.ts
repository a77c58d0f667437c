import type { ContentPart } from '../../base/item.ts';

/** Returns the images among the parts of a content, as this wire has them: in base 64, without a type. */
export function imagesOf(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part) => {
    const data = part.type === 'input_image' ? DATA_URL.exec(part.image_url)?.[1] : undefined;
    return data === undefined ? [] : [data];
  });
}

/**
 * Returns the texts among the parts of a content. The wire has no form for the address of an image or of a file, which
 * is sent as text.
 */
export function textsOf(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    if (part.type === 'refusal') return [part.refusal];
    if (part.type === 'input_image') return part.image_url.startsWith('data:') ? [] : [part.image_url];
    if (part.type === 'input_file') return typeof part.file_url === 'string' ? [part.file_url] : [];
    return part.type === 'input_text' || part.type === 'output_text' ? [part.text] : [];
  });
}

const DATA_URL = /^data:[^,]*;base64,(.*)$/s;

/** Returns an image of a client's message as a part. Its type is recognised by its first bytes. */
export function imagePart(data: string): ContentPart {
  const image_url = data.startsWith('data:') ? data : `data:${mediaType(data)};base64,${data}`;
  return { type: 'input_image', image_url };
}

function mediaType(data: string): string {
  return SIGNATURES.find(([start]) => data.startsWith(start))?.[1] ?? 'image/png';
}

/** The first bytes of images, in base 64. */
export const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['Qk', 'image/bmp'],
];
