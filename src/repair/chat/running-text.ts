import type { Fields } from '../../wire/fields/request-fields.ts';
import { isSet } from '../field-values.ts';
import type { Choice } from './choice-state.ts';

/** Whether a choice of a chunk is nothing but a further piece of an answer, whatever came before: what nearly all chunks are. */
export function isOnlyText(said: Fields, delta: Fields): boolean {
  return (
    !isSet(said.finish_reason) &&
    said.usage === undefined &&
    typeof delta.content === 'string' &&
    !delta.reasoning_content &&
    !delta.reasoning &&
    !isSet(delta.reasoning_details) &&
    !isSet(delta.tool_calls) &&
    !isSet(delta.function_call)
  );
}

/** Whether the answer is under way, and the next piece of it may go out as it is. The piece counts as taken then. */
export function passesRunningText(choice: Choice, text: string): boolean {
  const { content, reasoning } = choice;
  return (
    choice.hasText &&
    reasoning.scanner === undefined &&
    choice.finish === undefined &&
    choice.deferred.length === 0 &&
    content.held.isEmpty &&
    content.scanner?.passes(text, 'text') === true
  );
}
