import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Outcome } from '../chat/borrow-repair.ts';
import { fieldsOf, isSet, textOf } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';
import { deltaOf } from './block-readings.ts';
import { BlockWriter } from './block-writer.ts';
import { missingMessage } from './event-reader.ts';
import { errorFields } from './sound-event.ts';
import { type BlockStep, eventFrame, type MessageFrame, type ServerBlock, type Step } from './step.ts';
import { STOP_REASONS } from './stop-reasons.ts';

/** Writes a repaired message: events that need no repair as they came, the others anew. */
export class MessageWriter {
  readonly #reporter: RepairReporter;
  readonly #blocks: BlockWriter;
  #out: Frame[] = [];
  #hasBegun = false;
  /** `stopped`: the stop reason is out. `ended`: the end is out. `failed`: an error is out. */
  #state: 'open' | 'stopped' | 'ended' | 'failed' = 'open';
  #stopReason: unknown = null;
  #usage: Fields = { output_tokens: 0 };
  /** Outcomes that wait for the end of an open call. */
  #waiting: Outcome<Step>[] = [];

  constructor(reporter: RepairReporter) {
    this.#reporter = reporter;
    this.#blocks = new BlockWriter(reporter, (frame) => this.#put(frame));
  }

  /** Reports whether the next piece of a block can go out as it is. */
  runs(block: ServerBlock, index: unknown): boolean {
    return this.#waiting.length === 0 && this.#state === 'open' && this.#blocks.runs(block) === index;
  }

  take(): readonly Frame[] {
    const frames = this.#out;
    if (frames.length > 0) this.#out = [];
    return frames;
  }

  write(outcome: Outcome<Step>): void {
    if (this.#state === 'failed') return;
    if (this.#state === 'ended') this.#writeLate(outcome);
    else if (isFailure(outcome)) this.#write(outcome);
    else if (isEnding(outcome)) this.#writeAll([...this.#takeWaiting(), outcome], true);
    else if (this.#waiting.length > 0 ? !this.#isOfOpen(outcome) : this.#mustWait(outcome)) this.#wait(outcome);
    else {
      this.#write(outcome);
      if (this.#blocks.closeWhole() || !this.#blocks.waits) this.#writeAll(this.#takeWaiting(), false);
    }
  }

  /** Ends the message with the connection. */
  end(): readonly Frame[] {
    if (this.#state === 'stopped') {
      this.#reporter.report('I9', { before: 'no message_stop', after: 'message_stop' });
      this.#writeEnd(eventFrame({ type: 'message_stop' }));
    }
    return this.take();
  }

  /** Ends the message with an error. */
  fail(code: string, message: string): void {
    this.#fail(eventFrame({ type: 'error', error: { type: 'api_error', code, message } }));
  }

  /** Writes outcomes that waited. `isLast`: nothing more comes for an open call. */
  #writeAll(outcomes: readonly Outcome<Step>[], isLast: boolean): void {
    for (const [n, outcome] of outcomes.entries()) {
      if (!isLast && this.#mustWait(outcome)) {
        this.#waiting = [...outcomes.slice(n)];
        return;
      }
      this.#write(outcome);
    }
  }

  /** Reports whether an outcome is about something else than the open call, which is not whole. */
  #mustWait(outcome: Outcome<Step>): boolean {
    return this.#blocks.waits && !isOther(outcome) && !this.#isOfOpen(outcome);
  }

  #isOfOpen(outcome: Outcome<Step>): boolean {
    if (outcome.type === 'same') return 'block' in outcome.step && this.#blocks.has(outcome.step.block);
    const place = placeOf(outcome);
    return place !== undefined && this.#blocks.isOpen(place);
  }

  #wait(outcome: Outcome<Step>): void {
    const place = placeOf(outcome);
    // The end of a call's input comes with the end of the message, after blocks that follow the call.
    let at = place === undefined ? 0 : this.#waiting.findLastIndex((other) => placeOf(other) === place) + 1;
    while (at > 0 && isOther(this.#waiting[at])) at++;
    this.#waiting.splice(at === 0 ? this.#waiting.length : at, 0, outcome);
    if (this.#waiting.length > MAX_WAITING) this.#writeAll(this.#takeWaiting(), true);
  }

  #takeWaiting(): readonly Outcome<Step>[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #write(outcome: Outcome<Step>): void {
    if (outcome.type === 'same') this.#writeStep(outcome.step);
    else if (outcome.type === 'chunk') this.#writeChunk(outcome.chunk);
    else this.#writeMark();
  }

  #writeStep(step: Step): void {
    switch (step.type) {
      case 'message':
        this.#hasBegun = true;
        this.#put(step.frame);
        break;
      case 'other':
        this.#usage = fieldsIn(step.frame.json.usage) ?? this.#usage;
        this.#blocks.other(step.frame);
        break;
      case 'error':
        this.#fail(step.frame);
        break;
      case 'finish':
        this.#writeFinish(step.frame);
        break;
      case 'end':
        this.#writeEnd(step.frame, step.usage);
        break;
      case 'data':
        this.#writeMark();
        break;
      default:
        this.#writeBlock(step);
    }
  }

  #writeBlock(step: BlockStep): void {
    switch (step.type) {
      case 'start':
        this.#blocks.begin(step.block, step.frame);
        break;
      case 'delta':
        this.#blocks.piece(step.block, step.frame, inputIn(step.frame));
        break;
      case 'empty':
        this.#blocks.emptyPiece(step.block, step.frame);
        break;
      case 'blank':
        this.#blocks.blank(step.block);
        break;
      case 'stop':
        this.#blocks.stop(step.block, step.frame);
        break;
    }
  }

  #writeMark(): void {
    this.#writeEnd(eventFrame({ type: 'message_stop' }));
  }

  #writeChunk(chunk: Fields): void {
    if (isSet(chunk.error)) this.#fail(eventFrame({ type: 'error', error: errorFields(chunk.error) }));
    else this.#writeChoice(choiceIn(chunk));
  }

  #writeChoice(choice: Fields): void {
    const { content, reasoning_content, reasoning, tool_calls } = fieldsOf(choice.delta);
    const thought = textOf(reasoning_content) || textOf(reasoning);
    const text = textOf(content);
    this.#begin();
    if (thought !== '') this.#blocks.text('thinking', deltaOf('thinking', thought));
    if (text !== '') this.#blocks.text('text', deltaOf('text', text));
    for (const piece of Array.isArray(tool_calls) ? tool_calls.filter(isRecord) : []) this.#writePiece(piece);
    if (typeof choice.finish_reason === 'string') this.#writeMadeFinish(choice.finish_reason, choice.event);
  }

  #writePiece(piece: Fields): void {
    const place = Number(piece.index);
    const { name, arguments: said } = fieldsOf(piece.function);
    if (!this.#blocks.isOpen(place) && isSet(piece.id)) {
      const server = isServerBlock(piece.block) ? piece.block : undefined;
      const block = { type: 'tool_use', ...fieldsOf(server?.start.content_block), id: piece.id, name, input: {} };
      this.#blocks.beginCall({ type: 'content_block_start', index: -1, content_block: block }, server, place);
    }
    const input = textOf(said);
    if (input !== '' && this.#blocks.isOpen(place)) this.#blocks.input(input, deltaOf('call', input));
  }

  #writeMadeFinish(finish: string, event: unknown): void {
    const stop_reason = STOP_REASONS.get(finish) ?? finish;
    const said = fieldsIn(event) ?? { type: 'message_delta', delta: { stop_sequence: null }, usage: this.#usage };
    this.#writeFinish(eventFrame({ ...said, delta: { ...fieldsOf(said.delta), stop_reason } }));
  }

  #writeFinish(frame: MessageFrame): void {
    this.#blocks.end();
    this.#state = 'stopped';
    this.#stopReason = fieldsOf(frame.json.delta).stop_reason;
    this.#put(frame);
  }

  #writeEnd(frame: MessageFrame, usage?: Fields): void {
    if (!this.#hasBegun) {
      this.#reporter.report('A6', { before: 'no event of a message', after: 'an error' });
      this.fail('invalid_response', NO_ANSWER);
      return;
    }
    this.#blocks.end();
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    if (usage !== undefined) this.#put(eventFrame({ type: 'message_delta', delta, usage }));
    this.#put(frame);
    this.#state = 'ended';
  }

  /** Ends the message with an error. A call that is open must not look whole, and anything behind it may belong to it. */
  #fail(frame: MessageFrame): void {
    if (this.#state === 'failed' || this.#state === 'ended') return;
    this.#state = 'failed';
    this.#waiting = [];
    this.#blocks.fail();
    this.#put(frame);
  }

  /** Writes what comes after the end: only events that say nothing. */
  #writeLate(outcome: Outcome<Step>): void {
    if (outcome.type !== 'same') return;
    const { step } = outcome;
    if (step.type === 'other' && step.frame.json.type === 'ping') this.#put(step.frame);
    else if (step.type === 'data') this.#reporter.report('F2', { before: '[DONE]', after: 'left out' });
    else this.#reporter.report('I2', { before: `${step.type} after the end of the message`, after: 'left out' });
  }

  /** Begins a message that its server did not begin (I9). */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#reporter.report('I9', { before: 'no message_start', after: 'message_start' });
    this.#put(eventFrame(missingMessage()));
  }

  #put(frame: Frame): void {
    this.#out.push(frame);
  }
}

const NO_ANSWER = 'The server ended the response without sending any answer. Try again.';

/** The most outcomes that wait for a call that is not whole. */
const MAX_WAITING = 1024;

/** Reports whether an outcome ends the message or all of its blocks. */
function isEnding(outcome: Outcome<Step>): boolean {
  if (outcome.type === 'mark') return true;
  if (outcome.type === 'same') return ENDS.has(outcome.step.type);
  return typeof choiceIn(outcome.chunk).finish_reason === 'string';
}

/** Reports whether an outcome has nothing to do with blocks. */
function isOther(outcome: Outcome<Step> | undefined): boolean {
  return outcome?.type === 'same' && outcome.step.type === 'other';
}

/** Reports whether an outcome is an error. */
function isFailure(outcome: Outcome<Step>): boolean {
  if (outcome.type === 'same') return outcome.step.type === 'error';
  return outcome.type === 'chunk' && isSet(outcome.chunk.error);
}

const ENDS: ReadonlySet<Step['type']> = new Set<Step['type']>(['finish', 'end', 'data']);

/** Returns the number of the call that an outcome is about. */
function placeOf(outcome: Outcome<Step>): number | undefined {
  if (outcome.type === 'same') return 'block' in outcome.step ? outcome.step.block.place : undefined;
  const piece = outcome.type === 'chunk' ? pieceIn(outcome.chunk) : undefined;
  return piece === undefined ? undefined : Number(piece.index);
}

function choiceIn({ choices }: Fields): Fields {
  return fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
}

function pieceIn(chunk: Fields): Fields | undefined {
  const { tool_calls } = fieldsOf(choiceIn(chunk).delta);
  return Array.isArray(tool_calls) ? tool_calls.find(isRecord) : undefined;
}

/** Returns the input in a piece of a call. */
function inputIn({ json }: MessageFrame): string {
  return textOf(fieldsOf(json.delta).partial_json);
}

function fieldsIn(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

function isServerBlock(value: unknown): value is ServerBlock {
  return isRecord(value) && 'start' in value && 'stopped' in value;
}
