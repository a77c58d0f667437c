import { flatMap } from '../../base/flat-map.ts';
import type { ContentPart } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { unsentPart } from '../lowering/unsent-part.ts';

/**
 * Returns the blocks of a content. Texts of nothing but white space are left out, because servers refuse them. There is
 * no block for sounds.
 */
export function contentBlocks(parts: readonly ContentPart[]): readonly object[] {
  return flatMap(parts, (part): readonly object[] => {
    switch (part.type) {
      case 'input_image':
        return [{ type: 'image', source: imageSource(part.image_url) }];
      case 'input_file':
        return documentBlocks(part);
      case 'input_audio':
        return [{ type: 'text', text: unsentPart(part) }];
      default: {
        const text = part.type === 'refusal' ? part.refusal : part.text;
        return text.trim() === '' ? [] : [{ type: 'text', text }];
      }
    }
  });
}

/** Returns the parts of a content. Blocks that only some servers know are left out. */
export function contentParts(blocks: readonly unknown[]): readonly ContentPart[] {
  return flatMap(blocks.filter(isRecord), (block): readonly ContentPart[] => {
    switch (block.type) {
      case 'text':
        return textParts(block.text);
      case 'image':
        return imageParts(fieldsOf(block.source));
      case 'document':
        return documentParts(block);
      case 'search_result':
        return [...textParts(block.title), ...textParts(block.source), ...contentParts(listOf(block.content))];
      case 'tool_reference':
        return textParts(block.tool_name);
      case 'compaction':
        return textParts(block.content);
      default:
        return [];
    }
  });
}

const DATA_URL = /^data:([^;,]*);base64,/;

function imageSource(url: string): object {
  const type = DATA_URL.exec(url);
  if (type === null) return { type: 'url', url };
  return { type: 'base64', media_type: type[1], data: url.slice(type[0].length) };
}

function imageParts(source: Fields): readonly ContentPart[] {
  const url = source.type === 'base64' ? dataUrl(source) : wordOf(source.url);
  if (url !== undefined) return [{ type: 'input_image', image_url: url }];
  return fileParts(source);
}

type FilePart = Extract<ContentPart, { type: 'input_file' | 'input_audio' }>;

const PDF = 'application/pdf';

function documentBlocks({ file_data, file_url, file_id, filename }: FilePart): readonly object[] {
  const source = documentSource(wordOf(file_data), wordOf(file_url), wordOf(file_id));
  const title = wordOf(filename);
  return source === undefined ? [] : [{ type: 'document', source, ...(title !== undefined && { title }) }];
}

function documentSource(data?: string, url?: string, file_id?: string): object | undefined {
  if (data === undefined) {
    if (url !== undefined) return { type: 'url', url };
    return file_id === undefined ? undefined : { type: 'file', file_id };
  }
  const [head = '', type = PDF] = DATA_URL.exec(data) ?? [];
  const bytes = data.slice(head.length);
  // Texts have a form of their own. All other documents are PDFs on this wire.
  if (!type.startsWith('text/')) return { type: 'base64', media_type: type, data: bytes };
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(bytes, 'base64').toString() };
}

function documentParts({ source: written, title }: Fields): readonly ContentPart[] {
  const source = fieldsOf(written);
  switch (source.type) {
    case 'base64': {
      const file_data = dataUrl(source);
      return file_data === undefined
        ? []
        : [{ type: 'input_file', file_data, filename: wordOf(title) ?? 'document.pdf' }];
    }
    case 'text':
      return textParts(source.data);
    case 'content':
      return typeof source.content === 'string' ? textParts(source.content) : contentParts(listOf(source.content));
    case 'url': {
      const file_url = wordOf(source.url);
      return file_url === undefined ? [] : [{ type: 'input_file', file_url }];
    }
    default:
      return fileParts(source);
  }
}

function fileParts({ file_id }: Fields): readonly ContentPart[] {
  return typeof file_id === 'string' ? [{ type: 'input_file', file_id }] : [];
}

function dataUrl({ media_type, data }: Fields): string | undefined {
  return typeof media_type === 'string' && typeof data === 'string' ? `data:${media_type};base64,${data}` : undefined;
}

function textParts(text: unknown): readonly ContentPart[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'input_text', text }] : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
