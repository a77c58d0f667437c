import { flatMap } from '../../base/flat-map.ts';
import type { ContentPart } from '../../base/item.ts';

/** Returns the texts among the parts of a content. */
export function textParts(parts: readonly ContentPart[]): readonly string[] {
  return flatMap(parts, (part): readonly string[] => {
    if (part.type === 'refusal') return [part.refusal];
    if (part.type === 'input_file') return isSent(part) ? [] : addressOf(part);
    return part.type === 'input_text' || part.type === 'output_text' ? [part.text] : [];
  });
}

/** Returns the parts that are not text, in the shape of a user message on this wire. */
export function mediaParts(parts: readonly ContentPart[]): readonly object[] {
  return flatMap(parts, (part): readonly object[] => {
    if (part.type === 'input_audio') return [part];
    if (part.type === 'input_file') return isSent(part) ? [filePart(part)] : [];
    return part.type === 'input_image' ? [imagePart(part)] : [];
  });
}

type FilePart = Extract<ContentPart, { type: 'input_file' | 'input_audio' }>;

/**
 * Reports whether a file part can be sent. A file that has only an address has no form on this wire: the address is
 * sent as text.
 */
function isSent({ file_data, file_id }: FilePart): boolean {
  return typeof file_data === 'string' || typeof file_id === 'string';
}

function addressOf({ file_url }: FilePart): readonly string[] {
  return typeof file_url === 'string' ? [file_url] : [];
}

function filePart({ file_data, file_id, filename }: FilePart): object {
  return { type: 'file', file: { file_data, file_id, filename } };
}

function imagePart({ image_url, detail }: Extract<ContentPart, { type: 'input_image' }>): object {
  return {
    type: 'image_url',
    image_url: { url: image_url, ...(detail !== undefined && { detail: knownDetail(detail) }) },
  };
}

/** Maps a level of detail to one that this wire has: `high` is its finest. */
function knownDetail(detail: string): string {
  return detail === 'original' ? 'high' : detail;
}
