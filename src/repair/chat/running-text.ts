import type { Fields } from '../../wire/fields/request-fields.ts';
import { isSet } from '../field-values.ts';
import type { Choice } from './choice-state.ts';

/** Reports whether a choice of a chunk is only a further piece of an answer, as nearly all chunks are. */
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

/**
 * Accepts the next piece of an answer that has begun, and reports whether it may go out unchanged. Otherwise nothing
 * happens.
 */
export function passesRunningText(choice: Choice, text: string): boolean {
  const { content, reasoning, response } = choice;
  const isPassed =
    response.text.fits(text) &&
    choice.hasText &&
    reasoning.scanner === undefined &&
    choice.finish === undefined &&
    choice.deferred.length === 0 &&
    content.held.isEmpty &&
    content.scanner?.passes(text, 'text') === true;
  if (isPassed) response.text.pass(text);
  return isPassed;
}
