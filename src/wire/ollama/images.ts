import { flatMap } from '../../base/flat-map.ts';
import type { ContentPart } from '../../base/item.ts';
import { unsentPart } from '../lowering/unsent-part.ts';

/** Returns the images among the parts of a content, as this wire has them: in base 64, without a type. */
export function imagesOf(parts: readonly ContentPart[]): readonly string[] {
  return flatMap(parts, (part): readonly string[] => {
    const data = part.type === 'input_image' ? DATA_URL.exec(part.image_url)?.[1] : undefined;
    return data === undefined ? [] : [data];
  });
}

/**
 * Returns the texts among the parts of a content. The wire has no form for files and for addresses of images: addresses
 * and files of text are sent as text.
 */
export function textsOf(parts: readonly ContentPart[]): readonly string[] {
  return flatMap(parts, (part): readonly string[] => {
    if (part.type === 'refusal') return [part.refusal];
    if (part.type === 'input_image') return part.image_url.startsWith('data:') ? [] : [part.image_url];
    return [part.type === 'input_text' || part.type === 'output_text' ? part.text : fileText(part)];
  });
}

const DATA_URL = /^data:[^,]*;base64,(.*)$/s;

function fileText(part: Extract<ContentPart, { type: 'input_file' | 'input_audio' }>): string {
  if (typeof part.file_url === 'string') return part.file_url;
  const written = typeof part.file_data === 'string' ? TEXT_URL.exec(part.file_data)?.[1] : undefined;
  return written === undefined ? unsentPart(part) : Buffer.from(written, 'base64').toString();
}

const TEXT_URL = /^data:(?:text\/|application\/json)[^,]*;base64,(.*)$/s;

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
