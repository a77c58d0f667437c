import type { FinishCalls } from '../finish.ts';
import { callSignature, countingBlocks, isTwin, signaturesIn } from '../found-calls.ts';
import type { CallSegment } from '../text/segment.ts';
import type { Choice } from './choice-state.ts';
import { type Unit, unitWith } from './chunk.ts';
import { addCall, callsState } from './repair-calls.ts';

/**
 * Decides what the blocks of calls in the texts are. Blocks that count become calls, blocks that repeat calls of the
 * response vanish, and the others go out as text. Returns the calls that the response has then. `isCut`: more
 * may have been about to follow, so no block is a call.
 */
export function settleTextCalls(choice: Choice, base: Unit, isCut: boolean): FinishCalls {
  const state = callsState(choice.calls);
  const blocks = foundCalls(choice);
  if (blocks.length === 0) return state;
  const counting = isCut ? [] : countingTextCalls(choice, state !== 'none');
  const known = state === 'none' ? signaturesIn(counting) : callsIn(choice);
  const twins = blocks.filter((block) => !counting.includes(block) && isTwin(block, known));
  for (const { id, raw } of twins) choice.response.reporter.report(id, { before: raw, after: '' });
  emitAsText(choice, base, new Set([...counting, ...twins]));
  for (const block of counting) promote(choice, base, block);
  return counting.length > 0 ? 'whole' : state;
}

/** Returns the blocks of calls that were found and are not settled, in the order in which they came. */
function foundCalls(choice: Choice): readonly CallSegment[] {
  return [...callsInReasoning(choice), ...choice.found];
}

function callsInReasoning({ deferred }: Choice): readonly CallSegment[] {
  return deferred.filter((segment) => segment.type === 'calls');
}

function countingTextCalls(choice: Choice, hasCalls: boolean): readonly CallSegment[] {
  const { found: inText, hasText: hasAnswer } = choice;
  return countingBlocks({ inText, inReasoning: callsInReasoning(choice), hasCalls, hasAnswer });
}

/** Emits everything that was removed from the texts as text, except for the blocks that are gone. */
function emitAsText(choice: Choice, base: Unit, gone: ReadonlySet<CallSegment>): void {
  const { found, response } = choice;
  choice.found = [];
  emitDeferred(choice, base, gone);
  for (const block of found) {
    if (!gone.has(block)) response.queue.put(unitWith(base, { content: block.text }).frame);
  }
}

const NONE: ReadonlySet<CallSegment> = new Set();

/** Emits deferred reasoning with the blocks of calls in it, except for the blocks that are gone. */
export function emitDeferred(choice: Choice, base: Unit, gone: ReadonlySet<CallSegment> = NONE): void {
  const { deferred, reasoning, response } = choice;
  if (deferred.length === 0) return;
  choice.deferred = [];
  const thought = deferred
    .filter((segment) => segment.type !== 'calls' || !gone.has(segment))
    .map(({ text }) => text)
    .join('');
  choice.thoughts?.push(thought);
  reasoning.held.locked = false;
  const left = reasoning.held.finish(thought);
  if (left !== '') response.queue.put(unitWith(base, { [choice.reasoningName]: left }).frame);
}

function promote({ calls, response }: Choice, base: Unit, block: CallSegment): void {
  for (const call of block.calls) {
    const callId = addCall(calls, base, call.name, call.arguments);
    response.reporter.report(block.id, { callId, before: block.raw, after: `${call.name} ${call.arguments}` });
  }
}

/** Returns the signatures of the calls that the response has by now. */
function callsIn({ calls: { slots, found } }: Choice): ReadonlySet<string> {
  const own = slots.flatMap(({ outName: name, sent, others }) =>
    [sent, ...Array.from(others.values(), (other) => other.sent)].map((texts) => ({ name, input: texts.join('') })),
  );
  return new Set([...own, ...found].map(({ name, input }) => callSignature(name, input)));
}
