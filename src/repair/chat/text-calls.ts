import { isRecord } from '../../base/json-schema.ts';
import type { FinishCalls, FinishEnd } from '../finish.ts';
import type { Segment } from '../text/create-text-scanner.ts';
import type { Choice, ChoiceCalls } from './choice-state.ts';
import { type Unit, unitWith } from './chunk.ts';
import { addCall, callsState } from './repair-calls.ts';

/**
 * Decides what calls in the texts are. Those that came in their own form as well vanish; beside other calls the rest is
 * text; otherwise they are the calls. Gives what the response has then. `torn`: only the end of the connection closed one
 * of the blocks, so none of them is a call.
 */
export function settleTextCalls(choice: Choice, base: Unit, by: FinishEnd | 'torn'): FinishCalls {
  const state = callsState(choice.calls);
  const blocks = foundCalls(choice);
  if (blocks.length === 0) return state;
  const counting = state === 'none' ? blocks.filter((block) => counts(choice, block, by)) : [];
  const known = state === 'none' ? callsOf(counting) : callsIn(choice);
  const twins = blocks.filter((block) => !counting.includes(block) && isTwin(block, known));
  for (const { id, raw } of twins) choice.response.reporter.report(id, { before: raw, after: '' });
  giveBackCalls(choice, base, new Set([...counting, ...twins]));
  for (const block of counting) promote(choice, base, block);
  return counting.length > 0 ? 'whole' : state;
}

/** The blocks of calls that have been found and not settled, in the order in which they came. */
export function foundCalls({ deferred, found }: Choice): readonly ChoiceCalls[] {
  return [...deferred.filter((segment) => segment.type === 'calls'), ...found];
}

/** All that was taken out of the texts goes out as text, but for the blocks that are gone. */
export function giveBackCalls(choice: Choice, base: Unit, gone: ReadonlySet<ChoiceCalls> = NONE): void {
  const { found, response } = choice;
  choice.found = [];
  giveBackDeferred(choice, base, gone);
  for (const block of found) {
    if (!gone.has(block)) response.queue.put(unitWith(base, { content: block.raw }).frame);
  }
}

const NONE: ReadonlySet<ChoiceCalls> = new Set();

/** Reasoning that was deferred goes out, with the blocks of calls in it but for those that are gone. */
export function giveBackDeferred(choice: Choice, base: Unit, gone: ReadonlySet<ChoiceCalls> = NONE): void {
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
  reasoning.lane.locked = false;
  const left = reasoning.lane.finish(thought);
  if (left !== '') response.queue.put(unitWith(base, { reasoning_content: left }).frame);
}

/**
 * In reasoning a model may only think of a call; a token of its own means that it makes one. Where the connection just
 * ended, it is not known whether an answer was to follow, nor whether text behind the finish signal was all of it.
 */
function counts({ hasText, found, finish }: Choice, { within, kind }: ChoiceCalls, by: FinishEnd | 'torn'): boolean {
  if (by === 'torn') return false;
  if (by === 'connection' && (within === 'reasoning' || finish !== undefined)) return false;
  return within === 'text' || kind === 'token' || (!hasText && found.length === 0);
}

function promote({ calls, response }: Choice, base: Unit, block: ChoiceCalls): void {
  for (const call of block.calls) {
    const callId = addCall(calls, base, call.name, call.arguments);
    response.reporter.report(block.id, { callId, before: block.raw, after: `${call.name} ${call.arguments}` });
  }
}

/** Whether all calls of a block are known in another place. */
function isTwin({ calls }: ChoiceCalls, known: ReadonlySet<string>): boolean {
  return calls.every((call) => known.has(canonicalCall(call.name, call.arguments)));
}

function callsOf(blocks: readonly ChoiceCalls[]): ReadonlySet<string> {
  return new Set(blocks.flatMap(({ calls }) => calls.map((call) => canonicalCall(call.name, call.arguments))));
}

/** The calls that the response has by now. */
function callsIn({ calls: { slots, found } }: Choice): ReadonlySet<string> {
  const own = slots.flatMap(({ outName: name, sent, others }) =>
    [sent, ...Array.from(others.values(), (other) => other.sent)].map((texts) => ({ name, input: texts.join('') })),
  );
  return new Set([...own, ...found].map(({ name, input }) => canonicalCall(name, input)));
}

function canonicalCall(name: string, input: string): string {
  return `${name} ${canonical(input) ?? input}`;
}

/** A JSON text in a form that does not depend on the order of keys; undefined for what is none. */
function canonical(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json), (_, value: unknown) => (isRecord(value) ? sorted(value) : value));
  } catch {
    return undefined;
  }
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
