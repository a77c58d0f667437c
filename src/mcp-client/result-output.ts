import { cutMiddle, type TextLimit } from '../base/bound-text.ts';
import type { ContentPart, Output } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';
import type { McpToolResult } from '../base/mcp-connection.ts';

/** Most bytes of one image or sound for the model, as base64. A larger one is named instead. */
const MAX_DATA = 8 * 1024 * 1024;

export interface ResultOptions {
  readonly seconds: number;
  /** Limit of this tool alone, or undefined for that of the thread. */
  readonly limit: TextLimit | undefined;
}

/**
 * Returns the result of a call as an output for the model: the time, then the parts. Structured content takes the place
 * of the parts, as in Codex. An output of texts alone is one text, which every server accepts.
 */
export function resultOutput({ content, structuredContent }: McpToolResult, { seconds, limit }: ResultOptions): Output {
  const bounded = (text: string) => (limit === undefined ? text : cutMiddle(text, limit));
  const header = outputHeader(seconds);
  if (structuredContent !== undefined && structuredContent !== null)
    return `${header}\n${bounded(JSON.stringify(structuredContent))}`;
  const parts = content.map(toPart);
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
  if (texts.length === parts.length) return `${header}\n${bounded(texts.join('\n'))}`;
  const cut = parts.map((part) => (part.type === 'input_text' ? { ...part, text: bounded(part.text) } : part));
  return [{ type: 'input_text', text: header }, ...cut];
}

/** Returns the first line of an output of an MCP tool, as Codex writes it. */
export function outputHeader(seconds: number): string {
  return `Wall time: ${seconds.toFixed(4)} seconds\nOutput:`;
}

/** Converts a part. A part that no model accepts stands as its text or its JSON. */
function toPart(part: Readonly<Record<string, unknown>>): ContentPart {
  const { type, text, data, mimeType } = part;
  if (type === 'text' && typeof text === 'string') return { type: 'input_text', text };
  if (typeof data === 'string' && typeof mimeType === 'string') {
    if (data.length > MAX_DATA) return named(`${type} of ${data.length} bytes left out: it is too large`);
    if (type === 'image')
      return { type: 'input_image', image_url: `data:${mimeType};base64,${data}`, detail: detailOf(part) };
    // Few servers of models accept sounds in outputs, and none of them says so.
    if (type === 'audio') return named(`audio (${mimeType}, ${data.length} bytes as base64) left out`);
  }
  if (type === 'resource' && isRecord(part.resource)) return resourcePart(part.resource);
  return { type: 'input_text', text: JSON.stringify(part) };
}

function detailOf({ _meta }: Readonly<Record<string, unknown>>): string {
  const detail = isRecord(_meta) ? _meta['codex/imageDetail'] : undefined;
  return typeof detail === 'string' ? detail : 'high';
}

function resourcePart(resource: Readonly<Record<string, unknown>>): ContentPart {
  const { uri, mimeType, text, blob } = resource;
  if (typeof text === 'string') return { type: 'input_text', text: `${uri}:\n${text}` };
  if (typeof blob !== 'string') return { type: 'input_text', text: JSON.stringify({ type: 'resource', resource }) };
  if (typeof mimeType === 'string' && mimeType.startsWith('image/') && blob.length <= MAX_DATA)
    return { type: 'input_image', image_url: `data:${mimeType};base64,${blob}`, detail: 'high' };
  return named(`resource ${uri} (${mimeType ?? 'unknown type'}, ${blob.length} bytes as base64) left out`);
}

function named(text: string): ContentPart {
  return { type: 'input_text', text: `[${text}]` };
}
