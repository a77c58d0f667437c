import type { Fields } from '../../wire/fields/request-fields.ts';
import { readFailedGeneration } from '../failed-generation.ts';
import { fieldsOf } from '../field-values.ts';
import type { CallSegment } from '../text/segment.ts';
import { isBlank } from '../white-space.ts';
import { emitCall } from './emit-call.ts';
import { emitItem } from './emit-item.ts';
import { isAnswered } from './is-answered.ts';
import { textPart } from './item-shapes.ts';
import type { ResponsesRepairState } from './response-state.ts';

/**
 * Emits the items that a server should have sent in place of an error that quotes the calls of the model (D13, seen
 * with Groq). Returns false, and emits nothing, if the error quotes no call.
 */
export function emitAnswerFromError({ error, response: body }: Fields, response: ResponsesRepairState): boolean {
  if (isAnswered(response)) return false;
  const segments = readFailedGeneration(error ?? fieldsOf(body).error, response.context);
  if (segments === undefined) return false;
  for (const segment of segments) {
    if (segment.type === 'calls') emitCalls(segment, response);
    else if (segment.type === 'text' && !isBlank(segment.text)) {
      emitItem(
        { type: 'message', status: 'completed', role: 'assistant', content: [textPart(segment.text)] },
        response,
      );
    }
  }
  return true;
}

function emitCalls({ calls, raw }: CallSegment, response: ResponsesRepairState): void {
  for (const call of calls) {
    const callId = emitCall(call, undefined, response);
    if (callId !== undefined) response.reporter.report('D13', { callId, before: raw, after: call });
  }
}
