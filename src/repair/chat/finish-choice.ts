import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import { decideFinish, type Finish, type FinishCalls, type FinishEnd, type FinishSignal } from '../finish.ts';
import { isBlank } from '../white-space.ts';
import type { Choice } from './choice-state.ts';
import { bareUnit, finishedUnit, type Unit, unitWith } from './chunk.ts';
import type { ReadFinish } from './read-finish.ts';
import { areWhole, callsState, endCalls } from './repair-calls.ts';
import { reportDetails } from './repair-reasoning.ts';
import { endTexts } from './split-texts.ts';
import { settleTextCalls } from './text-calls.ts';

/**
 * Applies the finish signal of a choice, whose unit has no other content. Returns the frame that ends the response if
 * the signal reports a failure. The caller queues that frame.
 */
export function finishChoice(choice: Choice, unit: Unit, read: ReadFinish): Frame | undefined {
  const base = bareUnit(unit);
  const calls = endAll(choice, base, { by: 'signal', signal: read.signal });
  const finish = isCovered(choice) ? sameFinish(choice, read) : decideFinish(read.signal, 'signal', calls);
  if (finish.as === 'failed') return failChoice(choice, unit, read);
  const isDone = finish.as === 'stop' && read.signal === 'stop' && !isStopped(choice, unit);
  if (isDone || isGuessWrong(choice, finish)) answerWithReasoning(choice, base);
  const word = wordFor(finish, read);
  choice.finish ??= { read, word };
  choice.finishedCalls = choice.calls.places.size;
  reportFinish(choice, finish, read, word);
  putFinish(choice, unit, word);
  return undefined;
}

/**
 * Ends a choice with the response, and completes everything since the last finish signal. Returns the frame that ends
 * the choice; undefined if an earlier finish signal ended it. The caller queues that frame.
 */
export function endChoice(choice: Choice, by: 'mark' | 'connection'): Frame | undefined {
  const { response } = choice;
  const read = choice.finish?.read;
  const base = bareUnit(choice.last);
  const calls = endAll(choice, base, { by, signal: 'none' });
  if (isCovered(choice)) return undefined;
  const finish = read === undefined ? decideFinish('none', by, calls) : decideFinish(read.signal, 'signal', calls);
  const isFailed = finish.as === 'failed';
  if (isGuessWrong(choice, finish)) answerWithReasoning(choice, base);
  const word = finish.as === 'failed' ? 'an error' : WORDS[finish.as];
  response.failed ||= isFailed;
  response.reporter.report(finish.repair ?? 'A5', {
    before: read?.said ?? `nothing before the ${ENDS[by]}`,
    after: word,
  });
  if (!isFailed) return finishedUnit(base, {}, word).frame;
  return errorFrame({}, 'stream_closed', 'stream closed before the finish signal');
}

/** Closes a choice that no longer counts: held text goes out as it came, and nothing is completed. */
export function closeChoice(choice: Choice): void {
  endAll(choice, bareUnit(choice.last), { by: 'connection', signal: 'error' });
}

/** Returns a frame that says why a response failed, with the fields of a chunk. */
export function errorFrame(chunk: Fields, code: string, message: string): Frame {
  return madeFrame({ ...chunk, ...('choices' in chunk && { choices: [] }), error: { code, message } });
}

/** Reports whether an earlier finish signal covers all calls. */
export function isCovered({ finish, calls, finishedCalls }: Choice): boolean {
  return finish !== undefined && calls.places.size === finishedCalls;
}

/** Returns the meaning of a repeated finish signal: the same as before, even if the word is wrong again. */
function sameFinish({ finish, calls }: Choice, { signal }: ReadFinish): Finish {
  if (signal === 'error' || signal === 'refused') return { as: 'failed' };
  if (finish?.word === WORDS.calls) return signal === 'calls' ? { as: 'calls' } : { as: 'calls', repair: 'A1' };
  if (signal === 'cut') return { as: 'cut' };
  return callsState(calls) === 'broken' ? { as: 'cut', repair: 'A9' } : { as: 'stop' };
}

interface End {
  readonly by: FinishEnd;
  readonly signal: FinishSignal;
}

/** Ends everything that is open. Returns the calls that the response has then. */
function endAll(choice: Choice, base: Unit, { by, signal }: End): FinishCalls {
  const isFailed = signal === 'error' || signal === 'refused';
  const isCut = isFailed || signal === 'cut';
  // Whole calls end a response even without a signal, so its texts are whole too.
  const isTextCut = isCut || (by === 'connection' && !areWhole(choice.calls));
  reportDetails(choice);
  endTexts(choice, base, isTextCut);
  endCalls(choice.calls, base, { by, cut: isCut });
  return settleTextCalls(choice, base, isTextCut);
}

const WORDS = { calls: 'tool_calls', stop: 'stop', cut: 'length' } as const;
const ENDS = { mark: 'end mark', connection: 'end of the connection' } as const;

/** Returns the word for a finish. A limit keeps its own word, since there are several. */
function wordFor({ as }: Finish, read: ReadFinish): string {
  if (as === 'failed' || (as === 'cut' && read.signal === 'cut')) return read.word;
  return WORDS[as];
}

function putFinish({ response }: Choice, unit: Unit, word: string): void {
  const hasDelta = isRecord(unit.choice.delta);
  if (!hasDelta) response.reporter.report('A11', { before: unit.choice, after: 'delta: {}' });
  const isFine = hasDelta && word === unit.choice.finish_reason;
  response.queue.put(isFine ? unit.frame : finishedUnit(unit, unit.delta, word).frame);
}

function reportFinish(choice: Choice, finish: Finish, read: ReadFinish, word: string): void {
  const { reporter } = choice.response;
  const isOfItsForm = choice.isLegacy && read.said === 'function_call';
  if (read.repair !== undefined && !isOfItsForm) reporter.report(read.repair, { before: read.said, after: read.word });
  // A server that leaves a call in the text does not know of the call: that is one repair, not two.
  const isToldAlready = finish.repair === 'A1' && choice.calls.slots.length === 0;
  if (finish.repair !== undefined && !isToldAlready) reporter.report(finish.repair, { before: read.said, after: word });
}

/** Fails a response that the server itself reports as broken. */
function failChoice({ response }: Choice, unit: Unit, { signal, said, word }: ReadFinish): Frame {
  response.failed = true;
  const isKnown = signal === 'error' && said === word;
  const { id, code, what } = FAILURES[signal === 'refused' ? 'refused' : 'error'];
  if (!isKnown) response.reporter.report(id, { before: said, after: code });
  return isKnown ? unit.frame : errorFrame(unit.chunk, code, `${what} (${said}). Try again.`);
}

const FAILURES = {
  refused: { id: 'A13', code: 'malformed_call', what: 'The server could not read the tool call that its model wrote' },
  error: { id: 'F10', code: 'server_error', what: 'The server ended the response with an error' },
} as const;

/** Reports whether a stop word may have ended the answer. Servers that name a token of the model name its number. */
function isStopped({ response }: Choice, { choice: { stop_reason, matched_stop } }: Unit): boolean {
  return response.context.hasStopWords || typeof stop_reason === 'string' || typeof matched_stop === 'string';
}

/** Reports whether text counted as reasoning up to a closing tag, and the response ended well without the tag. */
function isGuessWrong({ isGuess, calls }: Choice, { as }: Finish): boolean {
  return isGuess && (as === 'stop' || (as === 'calls' && calls.slots.length > 0));
}

/**
 * Emits an answer that came as reasoning as text (E11): where no tool could be called, or where the reasoning was a
 * guess.
 */
function answerWithReasoning(choice: Choice, base: Unit): void {
  const { queue, reporter, context } = choice.response;
  const answer = (choice.thoughts ?? []).join('');
  if (choice.hasText || isBlank(answer)) return;
  if (choice.isGuess) context.memory.startsThinking = false;
  choice.hasText = true;
  reporter.report('E11', { before: { reasoning_content: answer }, after: { content: answer } });
  queue.put(unitWith(base, { content: answer }).frame);
}
