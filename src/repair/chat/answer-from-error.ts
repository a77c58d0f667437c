import type { Fields } from '../../wire/fields/request-fields.ts';
import { readFailedGeneration } from '../failed-generation.ts';
import { type Choice, createChoice } from './choice-state.ts';
import { bareUnit, finishedUnit, madeUnit, unitWith } from './chunk.ts';
import { addCall } from './repair-calls.ts';
import type { ChatRepairState } from './response-state.ts';

/**
 * Emits the response that a server should have sent in place of an error that quotes the calls of the model (D13, seen
 * with Groq). Returns false, and emits nothing, if the error quotes no call.
 */
export function emitAnswerFromError(response: ChatRepairState, { error, ...head }: Fields, known?: Choice): boolean {
  if (known !== undefined && known.calls.slots.length > 0) return false;
  const segments = readFailedGeneration(error, response.context);
  if (segments === undefined) return false;
  const unit = madeUnit({ ...head, object: 'chat.completion.chunk' }, { index: 0 }, {});
  const choice = known ?? createChoice(response, unit);
  const base = bareUnit(choice.last);
  const { queue, reporter } = response;
  for (const segment of segments) {
    if (segment.type === 'text' && !choice.hasText) queue.put(unitWith(base, { content: segment.text }).frame);
    if (segment.type === 'reasoning') queue.put(unitWith(base, { reasoning_content: segment.text }).frame);
    if (segment.type !== 'calls') continue;
    for (const call of segment.calls) {
      const callId = addCall(choice.calls, base, call.name, call.arguments);
      reporter.report('D13', { callId, before: segment.raw, after: `${call.name} ${call.arguments}` });
    }
  }
  queue.put(finishedUnit(base, {}, 'tool_calls').frame);
  return true;
}
