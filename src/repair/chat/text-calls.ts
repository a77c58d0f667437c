import type { FinishCalls, FinishEnd } from '../finish.ts';
import { callSignature, countingBlocks, isTwin, signaturesIn } from '../found-calls.ts';
import type { CallSegment, Segment } from '../text/segment.ts';
import type { Choice } from './choice-state.ts';
import { type Unit, unitWith } from './chunk.ts';
import { addCall, callsState } from './repair-calls.ts';

/**
 * Decides what the blocks of calls in the texts are. Blocks that count become calls, blocks that repeat calls of the
 * response vanish, and the others go out as text. Returns the calls that the response has then. `torn`: the end of the
 * connection closed one of the blocks, so no block is a call.
 */
export function settleTextCalls(choice: Choice, base: Unit, by: FinishEnd | 'torn'): FinishCalls {
  const state = callsState(choice.calls);
  const blocks = foundCalls(choice);
  if (blocks.length === 0) return state;
  const counting = countingTextCalls(choice, by, state !== 'none');
  const known = state === 'none' ? signaturesIn(counting) : callsIn(choice);
  const twins = blocks.filter((block) => !counting.includes(block) && isTwin(block, known));
  for (const { id, raw } of twins) choice.response.reporter.report(id, { before: raw, after: '' });
  emitAsText(choice, base, new Set([...counting, ...twins]));
  for (const block of counting) promote(choice, base, block);
  return counting.length > 0 ? 'whole' : state;
}

/** Returns the blocks of calls that were found and are not settled, in the order in which they came. */
export function foundCalls(choice: Choice): readonly CallSegment[] {
  return [...callsInReasoning(choice), ...choice.found];
}

function callsInReasoning({ deferred }: Choice): readonly CallSegment[] {
  return deferred.filter((segment) => segment.type === 'calls');
}

/**
 * Returns the blocks that are calls. In reasoning, a block that begins with a token of the model is certain. Where the
 * connection just ended, an answer may have been about to follow the reasoning, and text after the finish signal may be
 * incomplete.
 */
function countingTextCalls(choice: Choice, by: FinishEnd | 'torn', hasCalls: boolean): readonly CallSegment[] {
  const isCutOff = by === 'connection';
  if (by === 'torn' || (isCutOff && choice.finish !== undefined)) return [];
  const inReasoning = isCutOff ? [] : callsInReasoning(choice);
  const blocks = { inText: choice.found, inReasoning, hasCalls, hasAnswer: choice.hasText };
  return countingBlocks(blocks, ({ kind }) => kind === 'token');
}

/** Emits everything that was removed from the texts as text, except for the blocks that are gone. */
export function emitAsText(choice: Choice, base: Unit, gone: ReadonlySet<CallSegment> = NONE): void {
  const { found, response } = choice;
  choice.found = [];
  emitDeferred(choice, base, gone);
  for (const block of found) {
    if (!gone.has(block)) response.queue.put(unitWith(base, { content: block.raw }).frame);
  }
}

const NONE: ReadonlySet<CallSegment> = new Set();

/** Emits deferred reasoning with the blocks of calls in it, except for the blocks that are gone. */
export function emitDeferred(choice: Choice, base: Unit, gone: ReadonlySet<CallSegment> = NONE): void {
  const { deferred, reasoning, response } = choice;
  if (deferred.length === 0) return;
  choice.deferred = [];
  const isGone = (segment: Segment | undefined) => segment?.type === 'calls' && gone.has(segment);
  const isKept = (segment: Segment, n: number) =>
    !isGone(segment) && !(segment.type === 'reasoning' && segment.trails && isGone(deferred[n - 1]));
  const thought = deferred
    .filter(isKept)
    .map(({ text }) => text)
    .join('');
  choice.thoughts?.push(thought);
  reasoning.held.locked = false;
  const left = reasoning.held.finish(thought);
  if (left !== '') response.queue.put(unitWith(base, { reasoning_content: left }).frame);
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
