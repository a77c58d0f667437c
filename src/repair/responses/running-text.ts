import type { Fields } from '../../wire/fields/request-fields.ts';
import type { ResponsesRepairState } from './response-state.ts';

/**
 * Whether an event is nothing but a further piece of the text that is under way, and may go out as it is: what nearly
 * all events are. The piece counts as taken then.
 */
export function isRunningText(event: Fields, { running, output }: ResponsesRepairState): boolean {
  if (running === undefined || event.type !== 'response.output_text.delta') return false;
  const { delta } = event;
  const isSame =
    event.item_id === running.itemId &&
    event.output_index === running.outputIndex &&
    event.content_index === running.contentIndex;
  if (!isSame || typeof delta !== 'string' || !running.part.passes(delta)) return false;
  output.sequence = event.sequence_number;
  return true;
}
