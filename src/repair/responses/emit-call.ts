import { freeformInput } from '../../wire/lowering/freeform-input.ts';
import type { TextCall } from '../text/dialect.ts';
import { emitItem } from './emit-item.ts';
import { countCall, madeCallId, type ResponsesRepairState } from './response-state.ts';

/**
 * Emits a call that the server did not send as an item. Returns its id; undefined if the response has too many calls.
 */
export function emitCall(
  { name, arguments: text }: TextCall,
  namespace: unknown,
  response: ResponsesRepairState,
): string | undefined {
  if (!countCall(response)) return undefined;
  const tool = response.context.tools.get(name);
  const call_id = madeCallId(name, response);
  const common = { status: 'completed', call_id, name };
  if (tool !== undefined && tool.schema === undefined && typeof namespace !== 'string') {
    emitItem({ type: 'custom_tool_call', ...common, input: freeformInput(text, name) }, response);
  } else {
    const place = typeof namespace === 'string' ? { namespace } : undefined;
    emitItem({ type: 'function_call', ...common, ...place, arguments: text }, response);
  }
  return call_id;
}
