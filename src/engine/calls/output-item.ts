import type { CallItem, CallOutputItem, Output } from '../../base/item.ts';
import type { Turn } from '../turn-setup.ts';
import { boundOutput } from './bound-output.ts';

/** Returns the output that answers a call, of the kind that the call's kind asks for, with its texts bounded. */
export function outputItem({ thread, setup }: Turn, call: CallItem, output: Output): CallOutputItem {
  const { call_id } = call;
  const bounded = boundOutput(output, setup.textLimit);
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', id: `ctco_${thread.world.uuid()}`, call_id, output: bounded }
    : { type: 'function_call_output', id: `fco_${thread.world.uuid()}`, call_id, output: bounded };
}
