import type { TextLimit } from '../base/bound-text.ts';
import type { CallItem, CallOutputItem, Output } from '../base/item.ts';
import type { World } from '../base/world.ts';
import { boundOutput } from './bound-output.ts';

/** The output that answers a call, of the kind that the call's kind asks for, its texts bounded. */
export function outputItem(
  call: CallItem,
  output: Output,
  { world, textLimit }: { world: World; textLimit: TextLimit },
): CallOutputItem {
  const bounded = boundOutput(output, textLimit);
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', id: `ctco_${world.uuid()}`, call_id: call.call_id, output: bounded }
    : { type: 'function_call_output', id: `fco_${world.uuid()}`, call_id: call.call_id, output: bounded };
}
