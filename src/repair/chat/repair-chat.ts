import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { END_MARK } from '../../wire/chat/end-mark.ts';
import { isFinished, saysSomething } from '../../wire/chat/inspect.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { frameValue, madeFrame, withValue } from '../../wire/framing/frames.ts';
import type { TextRun, TextRunRepair } from '../../wire/framing/text-runs.ts';
import type { RepairContext } from '../context.ts';
import { isSet, textOf } from '../field-values.ts';
import { foreignProtocol } from '../foreign-protocol.ts';
import { createTemplateFrames, type TemplateFrames } from '../template-frames.ts';
import { emitAnswerFromError } from './answer-from-error.ts';
import { type Choice, createChoice } from './choice-state.ts';
import { bareUnit, madeUnit, type Unit, withoutUsage } from './chunk.ts';
import { closeChoice, endChoice, errorFrame, isCovered } from './finish-choice.ts';
import { releaseCalls } from './repair-calls.ts';
import { type ChatRepairState, openChatResponse } from './response-state.ts';
import { isOnlyText, passesRunningText } from './running-text.ts';
import { takeUnit } from './split-chunk.ts';
import { chunksOf, isWholeBody } from './whole-body.ts';

/** The repair of one Chat Completions response. */
export interface ChatRepair extends TextRunRepair {
  /**
   * Accepts the next piece of the answer, and reports whether it may go out unchanged. Otherwise nothing happens. Wires
   * that borrow this repair need no chunk for such a piece.
   */
  passesText(text: string): boolean;
}

/** Repairs the frames of one Chat Completions response. */
export function repairChat(context: RepairContext): ChatRepair {
  const response = openChatResponse(context);
  const stream: Stream = {
    response,
    // Created before the first frame, when the client does not wait yet.
    spare: createChoice(response, NO_UNIT),
    choices: new Map(),
    templates: createTemplateFrames({ gaps: [{ field: 'choices', inner: [0, 'delta', 'content'], type: 'text' }] }),
    first: undefined,
    foreign: undefined,
    state: 'open',
  };
  return {
    push(frame) {
      response.reporter.frame++;
      if (stream.state === 'over') return [];
      if (stream.state === 'ended' || response.failed) return [frame];
      return takeFrame(stream, frame);
    },
    run: (text) => takeRun(stream, text),
    passesText: (text) => stream.state === 'open' && !response.failed && runsOn(stream, text),
    isGivenUp: () => response.givenUp !== undefined,
    isStopped: () => stream.first?.isStopped === true && [...stream.choices.values()].every(isStopped),
    end() {
      if (stream.state !== 'open' || response.failed) return [];
      endChoices(stream, 'connection');
      return takeOut(stream);
    },
  };
}

interface Stream {
  readonly response: ChatRepairState;
  /** Choices by their numbers. */
  readonly choices: Map<number, Choice>;
  readonly templates: TemplateFrames;
  /** Becomes the first choice. */
  readonly spare: Choice;
  /** The choice that came first. */
  first: Choice | undefined;
  /** The sentence about another protocol that the server spoke, if it did. */
  foreign: string | undefined;
  /** `ended`: the end mark has come. `over`: nothing more goes out. */
  state: 'open' | 'ended' | 'over';
}

/** The most frames that wait for an undecided one. */
const MAX_WAITING = 64;

function takeOut(stream: Stream): readonly Frame[] {
  const { response, choices } = stream;
  const isTooLong = response.queue.waiting() > MAX_WAITING;
  if (isTooLong || response.failed) for (const choice of choices.values()) release(choice);
  const frames = response.queue.take();
  if (response.givenUp === undefined) return isTooLong ? withPlaceholder(choices, frames) : frames;
  stream.state = 'over';
  // The frames may hold a finish signal, and the calls before it would run.
  return [errorFrame({}, 'invalid_response', response.givenUp)];
}

/** Adds an empty frame of the first choice, which is the answer, where another choice may overtake it. */
function withPlaceholder(choices: Stream['choices'], frames: readonly Frame[]): readonly Frame[] {
  const [first] = choices.values();
  return first === undefined || choices.size === 1 ? frames : [bareUnit(first.last).frame, ...frames];
}

function release({ content, reasoning, calls }: Choice): void {
  content.held.release();
  reasoning.held.release();
  releaseCalls(calls);
}

function takeFrame(stream: Stream, frame: Frame): readonly Frame[] {
  const templated = stream.templates.read(frame);
  if (templated !== undefined && runsOn(stream, templated.text)) return [templated];
  const value = templated?.json ?? frameValue(frame);
  if (isRecord(value)) {
    const seen = withValue(frame, value);
    if (isRunning(stream, value)) {
      if (templated === undefined && frame.event === undefined) stream.templates.learn(frame, value);
      return [seen];
    }
    takeValue(stream, seen, value);
  } else takeWords(stream, frame, frame.data.trim());
  return takeOut(stream);
}

function takeRun(stream: Stream, text: string): TextRun | undefined {
  if (stream.state !== 'open' || stream.response.failed) return undefined;
  const run = stream.templates.readRun(text);
  if (run === undefined || !runsOn(stream, run.text)) return undefined;
  stream.response.reporter.frame += run.count;
  return { frame: { data: '', text: run.text, stream: text.slice(0, run.end) }, end: run.end, count: run.count };
}

/** Reports whether a chunk is one more piece of the answer, unchanged, with nothing waiting before it. */
function isRunning({ response, choices }: Stream, chunk: Fields): boolean {
  const list = chunk.choices;
  if (!Array.isArray(list) || list.length !== 1 || isSet(chunk.error) || response.queue.waiting() > 0) return false;
  const choice: unknown = list[0];
  if (!isRecord(choice) || !isRecord(choice.delta)) return false;
  const known = choices.get(numberOf(choice));
  if (known === undefined || !isOnlyText(choice, choice.delta)) return false;
  return passesRunningText(known, choice.delta.content as string);
}

/** Reports the same of a chunk that repeats a template: only its text is new. */
function runsOn({ response, choices, first }: Stream, text: string): boolean {
  return first !== undefined && choices.size === 1 && response.queue.waiting() === 0 && passesRunningText(first, text);
}

/** Reads data that is not a JSON object. */
function takeWords(stream: Stream, frame: Frame, data: string): void {
  const { reporter } = stream.response;
  if (data === END_MARK) takeMark(stream, frame);
  else if (frame.event === 'error') takeError(stream, frame, { error: { message: data } });
  else if (data.startsWith('{')) takeDamaged(stream, data);
  else reporter.report(data === '' || data === '""' ? 'F3' : 'F2', { before: data, after: 'left out' });
}

/** Reads a damaged chunk (F9). Its content is lost, so the response fails, unless its finish signal came before. */
function takeDamaged(stream: Stream, data: string): void {
  const { response, choices } = stream;
  const [first] = choices.values();
  const isOver = first !== undefined && isCovered(first);
  response.reporter.report('F9', { before: data, after: isOver ? 'left out' : 'an error' });
  if (isOver) return;
  failResponse(stream, errorFrame({}, 'stream_closed', DAMAGED));
}

/** Ends the response with an error. Held text still goes out. */
function failResponse({ response, choices }: Stream, error: Frame): void {
  for (const choice of choices.values()) closeChoice(choice);
  response.failed = true;
  response.queue.put(error);
}

const DAMAGED =
  'The stream is broken: a frame came damaged, and what it said is lost. No open call was run. Try again.';

/**
 * Ends all choices. The first one is the answer, and the end of the others decides nothing. A stream with this ending
 * can be repaired again: a finish signal ends one choice, an error ends all of them.
 */
function endChoices({ response, choices, foreign }: Stream, by: 'mark' | 'connection'): void {
  const [first, ...others] = choices.values();
  if (first === undefined && foreign !== undefined) {
    response.reporter.report('A6', { before: 'no chunk of a response', after: 'an error' });
    response.givenUp ??= foreign;
  }
  const ending = first === undefined ? undefined : endChoice(first, by);
  if (ending !== undefined && !response.failed) response.queue.put(ending);
  for (const choice of others) closeChoice(choice);
  if (ending !== undefined && response.failed) response.queue.put(ending);
}

function takeMark(stream: Stream, frame: Frame): void {
  stream.state = 'ended';
  endChoices(stream, 'mark');
  stream.response.queue.put(frame);
}

function takeValue(stream: Stream, frame: Frame, value: Fields): void {
  if (isSet(value.error)) takeError(stream, frame, value);
  else if (frame.event === 'error' || value.object === 'error') takeError(stream, frame, { error: value });
  else if (Array.isArray(value.choices)) takeChunk(stream, frame, value);
  else takeOther(stream, frame, value);
}

/** Reads a value without choices. */
function takeOther(stream: Stream, frame: Frame, value: Fields): void {
  const { reporter, queue } = stream.response;
  const { data, usage } = value;
  stream.foreign ??= foreignProtocol(value, 'chat');
  if (isRecord(data) && Array.isArray(data.choices)) {
    reporter.report('F12', { before: value, after: data });
    takeChunk(stream, madeFrame(data), data);
  } else if (isRecord(usage)) {
    reporter.report('F14', { before: value, after: { ...value, choices: [] } });
    queue.put(madeFrame({ ...value, choices: [] }));
  } else queue.put(frame);
}

/** Reads an error, which ends the response (F10, F11). */
function takeError(stream: Stream, frame: Frame, value: Fields): void {
  const { response, choices } = stream;
  const [choice] = choices.values();
  if (emitAnswerFromError(response, value, choice)) {
    // Calls that wait in the text are the ones in the error.
    if (choice !== undefined) release(choice);
    response.queue.put({ data: END_MARK });
    stream.state = 'over';
    return;
  }
  const isSeen = isRecord(frame.json) && isSet(frame.json.error);
  if (!isSeen) response.reporter.report('F10', { before: frame.data, after: value });
  failResponse(stream, isSeen ? frame : madeFrame(value));
}

function takeChunk(stream: Stream, frame: Frame, chunk: Fields): void {
  const { response } = stream;
  if (response.id === '')
    response.id = textOf(chunk.id) || (typeof chunk.created === 'number' ? `${chunk.created}` : '');
  const choices = recordsIn(chunk.choices);
  const first = choices[0];
  if (first === undefined) response.queue.put(frame);
  else if (isWholeBody(chunk, stream.first === undefined)) takeBody(stream, chunk);
  else if (choices.length > 1) takeChoices(stream, frame, chunk, choices);
  else takeChoice(stream, withHoistedUsage(response, { frame, chunk, choice: first, delta: deltaOf(first) }));
}

function numberOf({ index }: Fields): number {
  return typeof index === 'number' ? index : 0;
}

function recordsIn(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) return [];
  return list.length === 1 && isRecord(list[0]) ? list : list.filter(isRecord);
}

/** Reads each choice in a frame of its own. The original frame goes out if no choice needs a repair. */
function takeChoices(stream: Stream, frame: Frame, chunk: Fields, choices: readonly Fields[]): void {
  const head = withoutUsage(chunk);
  const chunkOf = (n: number) => (n === choices.length - 1 ? chunk : head);
  const units = choices.map((choice, n) => madeUnit(chunkOf(n), choice, deltaOf(choice)));
  const frames = units.map((unit) => unit.frame);
  stream.response.queue.together(frame, frames, () => {
    for (const unit of units) takeChoice(stream, withHoistedUsage(stream.response, unit));
  });
}

function takeChoice(stream: Stream, unit: Unit): void {
  const { response, choices } = stream;
  const number = numberOf(unit.choice);
  const known = choices.get(number);
  if (known === undefined && choices.size >= MAX_CHOICES) {
    response.queue.put(unit.frame);
    return;
  }
  // The first choice is the answer, even if everything of it so far was removed from its text.
  if (known === undefined && stream.first !== undefined && choices.size === 1)
    response.queue.lead(bareUnit(stream.first.last).frame);
  const choice = known ?? (stream.first === undefined ? stream.spare : createChoice(response, unit));
  if (stream.first === undefined) choice.last = unit;
  stream.first ??= choice;
  if (known === undefined) choices.set(number, choice);
  const failure = takeUnit(choice, unit);
  if (choice.finish !== undefined && saysSomething(unit.choice)) choice.isStopped = isFinished(unit.choice);
  if (failure !== undefined) failResponse(stream, failure);
}

function isStopped(choice: Choice): boolean {
  return choice.isStopped;
}

const NO_UNIT: Unit = { frame: { data: '' }, chunk: {}, choice: {}, delta: {} };

/** The most choices that are repaired. No client asks for that many; further ones pass unchanged. */
const MAX_CHOICES = 128;

function deltaOf({ delta }: Fields): Fields {
  return isRecord(delta) ? delta : NOTHING;
}

const NOTHING: Fields = {};

/** Moves the usage of a choice to the response (F15). */
function withHoistedUsage({ reporter }: ChatRepairState, unit: Unit): Unit {
  if (unit.choice.usage === undefined) return unit;
  const { usage, ...choice } = unit.choice;
  if (!isRecord(usage) || isRecord(unit.chunk.usage)) return unit;
  reporter.report('F15', { before: { choices: [{ usage }] }, after: { usage } });
  return madeUnit({ ...unit.chunk, usage }, choice, unit.delta);
}

/** Reads a whole answer as the stream that was requested (F13). */
function takeBody(stream: Stream, body: Fields): void {
  stream.response.reporter.report('F13', { before: body, after: 'a stream' });
  for (const chunk of chunksOf(body)) takeChunk(stream, madeFrame(chunk), chunk);
  if (!stream.response.failed) takeMark(stream, { data: END_MARK });
  stream.state = 'over';
}
