import { flatMap } from '../../base/flat-map.ts';
import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { decodeTool } from '../fields/decode-tool.ts';
import type { Fields } from '../fields/request-fields.ts';
import { listOf, wrong } from '../fields/request-fields.ts';
import { canonicalItem, canonicalType } from './canonical-item.ts';
import { normalizeItem } from './normalize-item.ts';

export interface DecodedInput {
  readonly input: readonly Item[];
  /** Tools that stood among the items. */
  readonly tools: readonly ToolSpec[];
}

/** Decodes the `input` of a client's request. */
export function decodeInput(value: unknown): DecodedInput {
  if (typeof value === 'string') {
    return { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: value }] }], tools: [] };
  }
  if (!Array.isArray(value)) throw wrong('input', 'a string or an array of items');
  const tools: ToolSpec[] = [];
  const input = flatMap(value, (item: unknown, i): readonly Item[] => {
    const field = `input[${i}]`;
    if (!isRecord(item)) throw wrong(field, 'an object');
    if (item.type !== 'additional_tools' || !Array.isArray(item.tools)) return inputItem(item, field);
    tools.push(...listOf(decodeTool)(item.tools, `${field}.tools`));
    return [];
  });
  return { input, tools };
}

/** Decodes an item; empty for types that only newer clients know, so that the rest of the request is accepted. */
function inputItem(value: Fields, field: string): readonly Item[] {
  const usual = normalizeItem(value);
  const type = canonicalType(usual);
  if (type === undefined && typeof usual.type === 'string') return [];
  if (type === undefined) throw wrong(`${field}.type`, 'a string');
  const item = canonicalItem(usual);
  if (item === undefined) throw wrong(field, `a complete item of type "${type}"`);
  return [item];
}
