import type { Choice } from './choice.ts';
import { type Fields, isSet } from './chunk.ts';

/**
 * Whether a choice of a chunk is nothing but a further piece of an answer that is under way, and may go out as it is:
 * what nearly all chunks are. The piece counts as taken then.
 */
export function isRunningText(choice: Choice, said: Fields, delta: Fields): boolean {
  const { content, reasoning } = choice;
  return (
    choice.hasText &&
    reasoning.scanner === undefined &&
    choice.finish === undefined &&
    choice.deferred.length === 0 &&
    content.lane.isEmpty &&
    !isSet(said.finish_reason) &&
    said.usage === undefined &&
    hasOnlyContent(delta) &&
    content.scanner?.passes(delta.content as string, 'text') === true
  );
}

function hasOnlyContent(delta: Fields): boolean {
  return (
    typeof delta.content === 'string' &&
    !delta.reasoning_content &&
    !delta.reasoning &&
    !isSet(delta.reasoning_details) &&
    !isSet(delta.tool_calls) &&
    !isSet(delta.function_call)
  );
}
