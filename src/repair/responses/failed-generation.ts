import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, wordOf } from '../field-values.ts';
import type { Segment } from '../text/create-text-scanner.ts';
import { isBlank } from '../white-space.ts';
import { giveCall } from './emit-call.ts';
import { giveItem } from './emit-item.ts';
import { isAnswered } from './is-answered.ts';
import { textPart } from './item-shapes.ts';
import type { ResponsesRepairState } from './response-state.ts';
import { scanWhole } from './scan-whole.ts';

/**
 * The calls in an error that quotes what the model wrote (D13), as the items that the server should have sent. False if
 * there are none.
 */
export function takeFailedGeneration({ error, response: body }: Fields, response: ResponsesRepairState): boolean {
  const written = wordOf(fieldsOf(error ?? fieldsOf(body).error).failed_generation);
  if (written === undefined || isAnswered(response)) return false;
  const segments = scanWhole(written, response);
  if (!segments.some(({ type }) => type === 'calls')) return false;
  for (const segment of segments) {
    if (segment.type === 'calls') giveCalls(segment, response);
    else if (segment.type === 'text' && !isBlank(segment.text)) {
      giveItem(
        { type: 'message', status: 'completed', role: 'assistant', content: [textPart(segment.text)] },
        response,
      );
    }
  }
  return true;
}

function giveCalls({ calls, raw }: Extract<Segment, { type: 'calls' }>, response: ResponsesRepairState): void {
  for (const call of calls) {
    const callId = giveCall(call, undefined, response);
    if (callId !== undefined) response.reporter.report('D13', { callId, before: raw, after: call });
  }
}
