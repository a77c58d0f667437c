import type { CallItem, CallOutputItem } from '../../base/item.ts';
import type { OpenCall } from './thread-state.ts';

/** What stands for the output of a call that a dead process left open: what is known of it. */
export function lostCallText({ status, readOnly }: OpenCall): string {
  if (status === 'requested') return NEVER_STARTED;
  return readOnly ? ONLY_READ : UNKNOWN;
}

/** An output of the kind that a call asks for, under the id that the call has in the history. */
export function outputFor(call: CallItem, callId: string, output: CallOutputItem): CallOutputItem {
  const type = outputType(call);
  if (output.type === type && output.call_id === callId) return output;
  return { ...output, type, call_id: callId };
}

export function outputType(call: CallItem): CallOutputItem['type'] {
  return call.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
}

const NEVER_STARTED = 'aborted';
const ONLY_READ =
  'The agent stopped while this call was running. It only reads, so it may be repeated if its output is still wanted.';
const UNKNOWN =
  'The agent stopped while this call was running. Whether it took effect, wholly or in part, is not known: check before repeating it.';
