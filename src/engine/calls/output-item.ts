import { cutMiddle, limitBytes, type TextLimit } from '../../base/bound-text.ts';
import type { CallItem, CallOutputItem, ContentPart, Output } from '../../base/item.ts';
import type { Turn } from '../turn-setup.ts';

/** Returns the output that answers a call, of the kind that the call's kind asks for, with its texts bounded. */
export function outputItem({ thread, setup }: Turn, call: CallItem, output: Output): CallOutputItem {
  const { call_id } = call;
  const bounded = boundOutput(output, setup.textLimit);
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', id: `ctco_${thread.world.uuid()}`, call_id, output: bounded }
    : { type: 'function_call_output', id: `fco_${thread.world.uuid()}`, call_id, output: bounded };
}

/** Room for the headers that a tool puts around a text which it has bounded itself. */
const HEADROOM = 1.2;

/**
 * An output as it goes to the model: its texts bounded, a single text as a string. Several texts share one limit, in
 * their order; what comes when it is used up is counted. Images and the like are never cut.
 */
export function boundOutput(output: Output, { unit, limit }: TextLimit): Output {
  const whole: TextLimit = { unit, limit: Math.floor(limit * HEADROOM) };
  if (typeof output === 'string') return bound(output, whole);
  const [first, ...others] = output;
  if (first?.type === 'input_text' && others.length === 0) return bound(first.text, whole);
  return boundParts(output, whole);
}

function bound(text: string, limit: TextLimit): string {
  // Three bytes at most for each UTF-16 unit: short texts need no counting.
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
