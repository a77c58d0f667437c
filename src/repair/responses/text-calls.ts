import { countingBlocks } from '../found-calls.ts';
import type { RepairFinding, RepairReporter } from '../report.ts';
import type { CallSegment } from '../text/segment.ts';
import { compareWithItems, hasCallItems } from './call-items.ts';
import { emitCall } from './emit-call.ts';
import { emitItem } from './emit-item.ts';
import { isAnswered } from './is-answered.ts';
import { textPart } from './item-shapes.ts';
import { itemEvents } from './made-items.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Returns the blocks in texts that are calls of the response. */
export function countingTextCalls(response: ResponsesRepairState): readonly CallSegment[] {
  const { found: inText, foundInReasoning: inReasoning } = response;
  if (inText.length === 0 && inReasoning.length === 0) return [];
  return countingBlocks({ inText, inReasoning, hasCalls: hasCallItems(response), hasAnswer: isAnswered(response) });
}

/** Emits the calls that were found in texts. Their messages went out without them. */
export function emitTextCalls(response: ResponsesRepairState): void {
  const { reporter } = response;
  const counting = countingTextCalls(response);
  for (const block of counting) {
    for (const call of block.calls) {
      const callId = emitCall(call, undefined, response);
      if (callId === undefined) return;
      reportTextCall(block, { callId, after: call }, reporter);
    }
  }
  if (counting.length === 0) emitBlocksAsText(response);
}

/** Emits the blocks that are not calls as text, except for those that repeat calls of the response. */
export function emitBlocksAsText(response: ResponsesRepairState): void {
  const { completed, found, reporter, output } = response;
  const isTwin = (block: CallSegment) => compareWithItems(block, response) === 'same';
  const left = found.splice(0);
  for (const block of left.filter(isTwin)) reportTextCall(block, { after: '' }, reporter);
  const quoted = new Set(left.filter((block) => !isTwin(block)));
  for (const [n, { came, index, blocks = [] }] of completed.entries()) {
    if (!blocks.some((block) => quoted.has(block))) continue;
    for (const { type, ...about } of itemEvents(came, index)) output.make(String(type), about);
    completed[n] = { came, went: came, index };
    for (const block of blocks) quoted.delete(block);
  }
  for (const { text } of quoted) {
    emitItem({ type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] }, response);
  }
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
