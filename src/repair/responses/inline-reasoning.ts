import type { Fields } from '../../wire/fields/request-fields.ts';
import type { CallSegment } from '../text/segment.ts';
import { madeItemId, type ResponsesRepairState } from './response-state.ts';

/** Reasoning that stood in a message. It becomes an item of its own, before the first text of the message. */
export interface InlineReasoning {
  readonly id: string;
  readonly index: number;
  readonly pieces: string[];
  /** Calls in the reasoning. They are text, unless the response has nothing else. */
  readonly calls: CallSegment[];
}

export function beginInlineReasoning(response: ResponsesRepairState): InlineReasoning {
  const index = response.items.takeIndex();
  const reasoning: InlineReasoning = { id: madeItemId('reasoning', index, response), index, pieces: [], calls: [] };
  const item = { type: 'reasoning', id: reasoning.id, summary: [], content: [] };
  response.output.makeAhead('response.output_item.added', { output_index: index, item });
  return reasoning;
}

export function continueInlineReasoning(
  reasoning: InlineReasoning,
  delta: string,
  response: ResponsesRepairState,
): void {
  if (delta === '') return;
  reasoning.pieces.push(delta);
  response.output.makeAhead('response.reasoning_text.delta', { ...placeOf(reasoning), delta });
}

export function endInlineReasoning(reasoning: InlineReasoning, response: ResponsesRepairState): void {
  const { id, index, pieces } = reasoning;
  const text = pieces.join('');
  const item: Fields = { type: 'reasoning', id, summary: [], content: [{ type: 'reasoning_text', text }] };
  response.output.makeAhead('response.reasoning_text.done', { ...placeOf(reasoning), text });
  response.output.makeAhead('response.output_item.done', { output_index: index, item });
  response.completed.push({ came: item, went: item });
  response.changed = true;
}

function placeOf({ id, index }: InlineReasoning): Fields {
  return { item_id: id, output_index: index, content_index: 0 };
}
