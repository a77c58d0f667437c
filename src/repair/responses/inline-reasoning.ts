import type { Fields } from '../../wire/fields/request-fields.ts';
import type { CallSegment } from '../text/segment.ts';
import { madeItemId, type ResponsesRepairState } from './response-state.ts';

/** Reasoning that stood in a message: an item of its own, which goes out before the message says anything. */
export interface Thought {
  readonly id: string;
  readonly index: number;
  readonly pieces: string[];
  /** Calls in it. They are text, unless there is nothing else in the response. */
  readonly calls: CallSegment[];
}

export function beginThought(response: ResponsesRepairState): Thought {
  const index = response.items.takeIndex();
  const thought: Thought = { id: madeItemId('reasoning', index, response), index, pieces: [], calls: [] };
  const item = { type: 'reasoning', id: thought.id, summary: [], content: [] };
  response.output.makeAhead('response.output_item.added', { output_index: index, item });
  return thought;
}

export function continueThought(thought: Thought, delta: string, response: ResponsesRepairState): void {
  if (delta === '') return;
  thought.pieces.push(delta);
  response.output.makeAhead('response.reasoning_text.delta', { ...placeOf(thought), delta });
}

export function endThought(thought: Thought, response: ResponsesRepairState): void {
  const { id, index, pieces } = thought;
  const text = pieces.join('');
  const item: Fields = { type: 'reasoning', id, summary: [], content: [{ type: 'reasoning_text', text }] };
  response.output.makeAhead('response.reasoning_text.done', { ...placeOf(thought), text });
  response.output.makeAhead('response.output_item.done', { output_index: index, item });
  response.completed.push({ came: item, went: item });
  response.changed = true;
}

function placeOf({ id, index }: Thought): Fields {
  return { item_id: id, output_index: index, content_index: 0 };
}
