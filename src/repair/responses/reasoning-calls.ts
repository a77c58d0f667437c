import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf } from '../field-values.ts';
import { isBlank } from '../white-space.ts';
import { isAnswer } from './is-answered.ts';
import type { RepairStep, ResponsesRepairState } from './response-state.ts';

/** Returns what an event decides about calls in reasoning; undefined if nothing. */
export function verdictOn(event: Fields): ResponsesRepairState['reasoningCalls'] {
  switch (event.type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return typeof event.delta === 'string' && !isBlank(event.delta) ? 'are text' : undefined;
    case 'response.output_item.added':
    case 'response.output_item.done':
      return isAnswer(fieldsOf(event.item)) ? 'are text' : undefined;
    case 'response.completed':
    case 'response.done':
      return isAnsweredBy(fieldsOf(event.response)) ? 'are text' : 'count';
    case 'response.incomplete':
    case 'response.failed':
    case 'error':
      return 'are text';
    default:
      return undefined;
  }
}

/** Applies the decision, and reads the events that waited for it. */
export function decideReasoningCalls(
  verdict: ResponsesRepairState['reasoningCalls'],
  response: ResponsesRepairState,
  step: RepairStep,
): void {
  const { undecided } = response;
  if (undecided === undefined) return;
  response.undecided = undefined;
  response.reasoningCalls = verdict;
  undecided.part.resume();
  for (const frame of undecided.waiting) step(frame, response);
}

function isAnsweredBy({ status, output }: Fields): boolean {
  if (status === 'incomplete' || status === 'failed') return true;
  return Array.isArray(output) && output.some((item) => isAnswer(fieldsOf(item)));
}
