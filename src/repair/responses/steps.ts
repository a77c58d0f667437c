import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { canonicalType } from '../../wire/responses/canonical-item.ts';
import { fieldsOf } from '../field-values.ts';
import { callAdded, callDone, inputDelta, inputDone } from './call-steps.ts';
import { completed, failed, incomplete } from './ending.ts';
import { messageAdded, messageDone, partAdded, partDone, textDelta, textDone } from './message-steps.ts';
import { baseOf, type OpenItem } from './open-item.ts';
import { reasoningAdded, reasoningDelta, reasoningDone, reasoningTextDone } from './reasoning-steps.ts';
import { isAnnouncedAgain, isRepeated } from './repeated-item.ts';
import type { RepairStep } from './response-state.ts';

/** Reads the announcement of the response. */
const announced: RepairStep = (frame, response) => {
  const body = fieldsOf(frame.json.response);
  if (typeof body.id === 'string') response.id = body.id;
  response.announced = body;
  response.output.pass(frame);
};

const itemAdded: RepairStep = (frame, response) => {
  const { item } = frame.json;
  if (!isRecord(item)) return response.output.pass(frame);
  const type = canonicalType(item);
  // An item that is announced twice is still one item.
  if (response.items.isAnnounced(item.id, openType(type))) return response.output.pass(frame);
  if (openType(type) === 'call' && isAnnouncedAgain(frame.json, response)) {
    response.announcedAgain.add(item.id);
    return response.reporter.report('H19', { before: item, after: '' });
  }
  switch (type) {
    case 'message':
      return messageAdded(frame, response);
    case 'reasoning':
      return reasoningAdded(frame, response);
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return callAdded(type, frame, response);
    default:
      response.items.open({ ...baseOf(item, frame.json), type: 'other' });
      response.output.pass(frame);
  }
};

const itemDone: RepairStep = (frame, response) => {
  const { item, output_index } = frame.json;
  if (!isRecord(item)) return response.output.pass(frame);
  const type = canonicalType(item);
  if (openType(type) !== 'other' && isRepeated(frame.json, response)) {
    return response.reporter.report('H19', { before: item, after: '' });
  }
  switch (type) {
    case 'message':
      return messageDone(frame, response);
    case 'reasoning':
      return reasoningDone(frame, response);
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return callDone(type, frame, response);
    default: {
      const open = response.items.find(item.id, output_index, 'other');
      if (open !== undefined) response.items.close(open);
      response.completed.push({ came: item, went: item });
      response.output.pass(frame);
    }
  }
};

function openType(type: Item['type'] | undefined): OpenItem['type'] {
  switch (type) {
    case 'message':
    case 'reasoning':
      return type;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return 'call';
    default:
      return 'other';
  }
}

/** Returns the step for an event type; undefined if such events pass. */
export function stepFor(type: unknown): RepairStep | undefined {
  // Nearly all events are of this type, and its name is long: a comparison is cheaper than a lookup.
  return type === 'response.output_text.delta' ? textDelta : STEPS.get(type);
}

/** Steps for the events that may need a repair. */
export const STEPS: ReadonlyMap<unknown, RepairStep> = new Map<unknown, RepairStep>([
  ['response.created', announced],
  ['response.in_progress', announced],
  ['response.output_item.added', itemAdded],
  ['response.output_item.done', itemDone],
  ['response.content_part.added', partAdded],
  ['response.content_part.done', partDone],
  ['response.output_text.delta', textDelta],
  ['response.output_text.done', textDone],
  ['response.reasoning_text.delta', reasoningDelta('content')],
  ['response.reasoning_text.done', reasoningTextDone('content')],
  ['response.reasoning_summary_text.delta', reasoningDelta('summary')],
  ['response.reasoning_summary_text.done', reasoningTextDone('summary')],
  ['response.reasoning_summary_part.done', reasoningTextDone('summary')],
  ['response.function_call_arguments.delta', inputDelta('function_call')],
  ['response.function_call_arguments.done', inputDone('function_call')],
  ['response.custom_tool_call_input.delta', inputDelta('custom_tool_call')],
  ['response.custom_tool_call_input.done', inputDone('custom_tool_call')],
  ['response.completed', completed],
  ['response.done', completed],
  ['response.incomplete', incomplete],
  ['response.failed', failed],
  ['error', failed],
]);
