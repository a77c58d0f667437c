import { isRecord } from '../../src/base/json-schema.ts';
import type { RecordedRequest } from '../../src/testing/index.ts';
import { decodedRequest } from './wires.ts';

/**
 * Returns the content of a request in its order, the same for all wires: `user: text`, `assistant: text`, `call ID`,
 * `output ID`. Sections about the environment are left out.
 */
export function outlineOf(request: RecordedRequest | undefined): string[] {
  const lines = request === undefined ? [] : decodedRequest(request).input.flatMap(ofItem);
  return lines.filter((line) => !/^(developer|system): |^user: (<(?!turn_aborted)|# AGENTS\.md)/.test(line));
}

function ofItem(item: unknown): string[] {
  if (!isRecord(item)) return [];
  if (item.type === 'message') return [`${item.role}: ${text(item.content)}`];
  if (item.type === 'function_call') return [`call ${item.call_id}`];
  return item.type === 'function_call_output' ? [`output ${item.call_id}`] : [];
}

/** Returns the texts, with `[image]` for an image. The note of an interrupted turn is cut to its tag. */
function text(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content ?? '' }];
  const texts = parts.map((part) => {
    if (!isRecord(part)) return '';
    return typeof part.text === 'string' ? part.text.replace(/^(<turn_aborted>).*/s, '$1') : '[image]';
  });
  // Some wires join the texts of a message, and with them the tags around an image.
  return texts.map((part) => part.replace(/<\/?image[^>]*>\s*/g, '')).join('');
}
