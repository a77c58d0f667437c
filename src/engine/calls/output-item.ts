import { cutMiddle, limitBytes, type TextLimit } from '../../base/bound-text.ts';
import type { CallItem, CallOutputItem, ContentPart, Output } from '../../base/item.ts';
import type { Turn } from '../turn-setup.ts';

/** Returns the output item that answers a call, with its texts bounded. Its type matches the type of the call. */
export function outputItem({ thread, setup }: Turn, call: CallItem, output: Output): CallOutputItem {
  const { call_id } = call;
  const bounded = boundOutput(output, setup.textLimit);
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', id: `ctco_${thread.world.uuid()}`, call_id, output: bounded }
    : { type: 'function_call_output', id: `fco_${thread.world.uuid()}`, call_id, output: bounded };
}

/** Room for headers that a tool adds to a text which it has bounded itself. */
const HEADROOM = 1.2;

/**
 * Returns an output with its texts bounded. A single text becomes a string. Several texts share one limit, in their
 * order. Texts after the limit is used up are replaced by their number. Images and other parts are never cut.
 */
export function boundOutput(output: Output, { unit, limit }: TextLimit): Output {
  const whole: TextLimit = { unit, limit: Math.floor(limit * HEADROOM) };
  if (typeof output === 'string') return bound(output, whole);
  const [first, ...others] = output;
  if (first?.type === 'input_text' && others.length === 0) return bound(first.text, whole);
  return boundParts(output, whole);
}

function bound(text: string, limit: TextLimit): string {
  // A UTF-16 unit has at most three bytes, so short texts need not be counted.
  return text.length * 3 <= limitBytes(limit) ? text : cutMiddle(text, limit);
}

function boundParts(parts: readonly ContentPart[], { unit, limit }: TextLimit): readonly ContentPart[] {
  const perUnit = limitBytes({ unit, limit: 1 });
  let left = limit;
  let omitted = 0;
  const kept = parts.flatMap((part): ContentPart[] => {
    if (part.type !== 'input_text') return [part];
    if (left <= 0) {
      omitted++;
      return [];
    }
    const text = bound(part.text, { unit, limit: left });
    left = text === part.text ? left - Math.ceil(Buffer.byteLength(text) / perUnit) : 0;
    return [text === part.text ? part : { type: 'input_text', text }];
  });
  if (omitted === 0) return kept;
  return [...kept, { type: 'input_text', text: `[omitted ${omitted} text items ...]` }];
}
