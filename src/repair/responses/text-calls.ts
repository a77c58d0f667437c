import { giveCall } from './emit-call.ts';
import { isAnswered } from './is-answered.ts';
import type { ResponsesRepairState } from './response-state.ts';
import { isCallItem } from './same-call.ts';
import { tellTextCall } from './scanner-reports.ts';
import type { CallsSegment } from './text-part.ts';

/** The calls in texts that count: none if there are others, and those in reasoning only if there is nothing else. */
export function countingCalls(response: ResponsesRepairState): readonly CallsSegment[] {
  if (hasCalls(response)) return [];
  if (response.found.length > 0) return response.found;
  return isAnswered(response) ? [] : response.foundInReasoning;
}

/** Whether calls came as items. */
export function hasCalls({ completed }: ResponsesRepairState): boolean {
  return completed.some(({ went }) => went !== undefined && isCallItem(went));
}

/** Gives out the calls that stood in texts. */
export function giveTextCalls(response: ResponsesRepairState): void {
  const { found, reporter } = response;
  const counting = countingCalls(response);
  for (const segment of counting) {
    for (const call of segment.calls) {
      const callId = giveCall(call, undefined, response);
      if (callId === undefined) return;
      tellTextCall(segment, { callId, after: call }, reporter);
    }
  }
  // The text of their message went out long ago.
  for (const segment of counting === found ? [] : found) tellTextCall(segment, { after: '' }, reporter);
}
