import type { ContentPart } from '../../base/item.ts';

/** The texts among the parts of a content. */
export function textParts(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'refusal') return [part.refusal];
    if (part.type === 'input_file') return isSent(part) ? [] : addressOf(part);
    return part.type === 'input_text' || part.type === 'output_text' ? [part.text] : [];
  });
}

/** The parts of a content that are no text, in the shape that users' messages have here. */
export function mediaParts(parts: readonly ContentPart[]): readonly object[] {
  return parts.flatMap((part): readonly object[] => {
    if (part.type === 'input_audio') return [part];
    if (part.type === 'input_file') return isSent(part) ? [filePart(part)] : [];
    return part.type === 'input_image' ? [imagePart(part)] : [];
  });
}

type FilePart = Extract<ContentPart, { type: 'input_file' | 'input_audio' }>;

/** A file that is only named by its address has no form here: the model reads the address. */
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

/** The finest that this wire knows stands for what is finer still. */
function knownDetail(detail: string): string {
  return detail === 'original' ? 'high' : detail;
}
