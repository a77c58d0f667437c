import type { ContentPart, Output } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ToolResult } from '../../base/tool.ts';

/** Converts a result, or says what is wrong with it. Programs in JavaScript may return any value. */
export function readResult(result: unknown): ToolResult | string {
  if (result === undefined || result === null) return { output: '', success: true };
  if (typeof result === 'string') return { output: result, success: true };
  if (!isRecord(result) || !(typeof result.output === 'string' || Array.isArray(result.output)))
    return 'neither a text nor { output }';
  const success = result.success !== false;
  const output = typeof result.output === 'string' ? result.output : result.output.map(toPart);
  if (typeof output !== 'string') {
    const wrong = output.indexOf(undefined);
    if (wrong !== -1) return `an output whose part ${wrong + 1} is neither a text nor an image`;
  }
  const checked = output as Output;
  return success ? { output: checked, success } : { output: checked, success, failure: 'execution' };
}

/**
 * Converts a part of an output; undefined if it is neither a text nor an image. The parts of MCP are accepted too. Only
 * known fields are kept, because a part goes into every later request.
 */
function toPart(part: unknown): ContentPart | undefined {
  if (!isRecord(part)) return undefined;
  const { type, text, image_url, detail, data, mimeType } = part;
  if ((type === 'input_text' || type === 'text') && typeof text === 'string') return { type: 'input_text', text };
  if (type === 'input_image' && typeof image_url === 'string')
    return { type, image_url, ...(typeof detail === 'string' ? { detail } : {}) };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
    return { type: 'input_image', image_url: `data:${mimeType};base64,${data}` };
  return undefined;
}
