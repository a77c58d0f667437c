import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../fields/request-fields.ts';

/**
 * Normalizes an item of a client. Some clients use message parts of the chat wire, refer to images by file ids, or send
 * outputs as plain values. Returns the same object if nothing changes.
 */
export function normalizeItem(item: Fields): Fields {
  switch (item.type ?? 'message') {
    case 'message':
      return withParts(item, 'content', item.role === 'assistant' ? 'output_text' : 'input_text');
    case 'function_call_output':
    case 'custom_tool_call_output':
      return withOutput(item);
    case 'local_shell_call_output':
      return withOutput({ ...item, type: 'function_call_output', call_id: item.call_id ?? item.id });
    default:
      return item;
  }
}

/** Normalizes an output. A value that is neither a text nor a list of parts is written as JSON. */
function withOutput(item: Fields): Fields {
  const { output } = item;
  if (output === undefined || typeof output === 'string') return item;
  if (Array.isArray(output)) return withParts(item, 'output', 'input_text');
  if (isRecord(output) && (typeof output.content === 'string' || Array.isArray(output.content))) return item;
  return { ...item, output: output === null ? '' : JSON.stringify(output) };
}

function withParts(item: Fields, field: string, textType: string): Fields {
  const parts = item[field];
  if (!Array.isArray(parts)) return item;
  const usual = parts.map((part: unknown) => normalizePart(part, textType));
  return usual.every((part, i) => part === parts[i]) ? item : { ...item, [field]: usual };
}

function normalizePart(part: unknown, textType: string): unknown {
  if (typeof part === 'string') return { type: textType, text: part };
  if (!isRecord(part)) return part;
  switch (part.type) {
    case 'text':
      return { type: textType, text: part.text };
    case 'image_url':
    case 'input_image':
      return imagePart(part);
    case 'file':
      return isRecord(part.file) ? { ...part.file, type: 'input_file' } : part;
    default:
      return part;
  }
}

function imagePart(part: Fields): unknown {
  const { image_url, file_id, detail } = part;
  const { url, detail: inner } = isRecord(image_url) ? image_url : { url: image_url, detail };
  if (typeof url === 'string') {
    if (part.type === 'input_image' && image_url === url) return part;
    return { type: 'input_image', image_url: url, ...(typeof inner === 'string' && { detail: inner }) };
  }
  return typeof file_id === 'string' ? { type: 'input_file', file_id } : part;
}
