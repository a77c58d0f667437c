import { cutMiddle, limitBytes, type TextLimit } from '../base/bound-text.ts';
import type { CallItem, CallOutputItem, Output } from '../base/item.ts';
import type { World } from '../base/world.ts';

/** Room for the headers that a tool puts around a text which it has bounded itself. */
const HEADROOM = 1.2;

/** The output that answers a call, of the kind that the call's kind asks for, its text bounded. */
export function outputItem(
  call: CallItem,
  output: Output,
  { world, textLimit }: { world: World; textLimit: TextLimit },
): CallOutputItem {
  const bounded = typeof output === 'string' ? bound(output, textLimit) : output;
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', id: `ctco_${world.uuid()}`, call_id: call.call_id, output: bounded }
    : { type: 'function_call_output', id: `fco_${world.uuid()}`, call_id: call.call_id, output: bounded };
}

function bound(text: string, limit: TextLimit): string {
  const roomy: TextLimit = { unit: limit.unit, limit: Math.floor(limit.limit * HEADROOM) };
  // Three bytes at most for each UTF-16 unit: short texts need no counting.
  return text.length * 3 <= limitBytes(roomy) ? text : cutMiddle(text, roomy);
}
