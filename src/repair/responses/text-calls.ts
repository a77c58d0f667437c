import { countingBlocks } from '../found-calls.ts';
import type { RepairFinding, RepairReporter } from '../report.ts';
import type { CallSegment } from '../text/segment.ts';
import { hasCallItems } from './call-items.ts';
import { emitCall } from './emit-call.ts';
import { isAnswered } from './is-answered.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Returns the blocks in texts that are calls of the response. */
export function countingTextCalls(response: ResponsesRepairState): readonly CallSegment[] {
  const { found: inText, foundInReasoning: inReasoning } = response;
  if (inText.length === 0 && inReasoning.length === 0) return [];
  return countingBlocks({ inText, inReasoning, hasCalls: hasCallItems(response), hasAnswer: isAnswered(response) });
}

/** Emits the calls that were found in texts. */
export function emitTextCalls(response: ResponsesRepairState): void {
  const { found, reporter } = response;
  const counting = countingTextCalls(response);
  for (const block of counting) {
    for (const call of block.calls) {
      const callId = emitCall(call, undefined, response);
      if (callId === undefined) return;
      reportTextCall(block, { callId, after: call }, reporter);
    }
  }
  // The message of these blocks went out without them.
  for (const block of found) if (!counting.includes(block)) reportTextCall(block, { after: '' }, reporter);
}

/** Reports a call in a text, and that the text is of a protocol that has items for calls (D16). */
export function reportTextCall(
  { id, raw }: CallSegment,
  finding: Omit<RepairFinding, 'before'>,
  reporter: RepairReporter,
): void {
  reporter.report(id, { ...finding, before: raw });
  reporter.report('D16', { before: raw, after: finding.after });
}
