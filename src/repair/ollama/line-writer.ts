import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Outcome } from '../chat/borrow-repair.ts';
import { fieldsOf, isSet, textOf, wordOf } from '../field-values.ts';
import { ObjectEnd } from '../object-end.ts';
import type { RepairReporter } from '../report.ts';
import { DONE_REASONS } from './done-reasons.ts';
import { CallFields, OWN_ID, objectIn } from './line-calls.ts';
import { headOf, messageIn, withMessage } from './line-reader.ts';
import { type LineFrame, type LineStep, lineFrame } from './step.ts';

type SaidStep = Extract<LineStep, { type: 'said' }>;
type DoneStep = Extract<LineStep, { type: 'done' }>;

/** Writes a repaired answer: lines that need no repair as they came, the others anew. */
export class LineWriter {
  #out: Frame[] = [];
  #isOver = false;
  /** Fields that every line has. */
  #head: Fields = {};
  /** Part of the last line, until it is clear that the rest of the line needs no repair either. */
  #said: SaidStep | undefined;
  /** Calls that have come in pieces, by their places. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #reporter: RepairReporter;

  constructor(reporter: RepairReporter) {
    this.#reporter = reporter;
  }

  /** Whether a line can go out as it is. */
  get runs(): boolean {
    return !this.#isOver && this.#said === undefined;
  }

  take(): readonly Frame[] {
    const frames = this.#out;
    if (frames.length > 0) this.#out = [];
    return frames;
  }

  write(outcome: Outcome<LineStep>): void {
    if (this.#isOver) return;
    const isRest = outcome.type === 'same' && outcome.step.type === 'done' && outcome.step.said === this.#said;
    if (!isRest) this.#writeSaid();
    if (outcome.type === 'same') this.#writeStep(outcome.step);
    else if (outcome.type === 'chunk') this.#writeChunk(outcome.chunk);
  }

  /** Ends the answer with an error. */
  fail(code: string | undefined, message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#put({ error: message, ...(code !== undefined && { code }) });
  }

  #writeStep(step: LineStep): void {
    switch (step.type) {
      case 'said':
        this.#head = headOf(step.frame.json);
        if (step.frame.json.done === true) this.#said = step;
        else if (!step.isWhole || this.#mustWait(step)) this.#writeDelta(step.delta, step.frame);
        else this.#out.push(step.frame);
        break;
      case 'done':
        this.#writeDone(step);
        break;
      case 'error':
        this.#isOver = true;
        this.#out.push(step.frame);
        break;
      case 'other':
        this.#out.push(step.frame);
        break;
      case 'data':
        this.#reporter.report('A6', { before: 'no line of an answer', after: 'an error' });
        this.fail('invalid_response', NO_ANSWER);
        break;
    }
  }

  /** Writes the part of a line whose other part needs a repair. */
  #writeSaid(): void {
    const said = this.#said;
    this.#said = undefined;
    if (said !== undefined) this.#writeDelta(said.delta);
  }

  #writeDone({ frame, said }: DoneStep): void {
    const { done_reason } = frame.json;
    const isSame = said === undefined || (this.#said === said && (this.#said.isWhole || done_reason !== 'length'));
    if (isSame) this.#said = undefined;
    else this.#writeSaid();
    this.#endCalls(done_reason);
    this.#isOver = true;
    if (isSame) this.#out.push(frame);
    else this.#put(silent(frame.json));
  }

  #writeChunk(chunk: Fields): void {
    if (isSet(chunk.error)) {
      const { code, message } = fieldsOf(chunk.error);
      this.fail(wordOf(code), textOf(message) || textOf(chunk.error));
      return;
    }
    if (isRecord(chunk.head)) this.#head = chunk.head;
    const choice = fieldsOf(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined);
    this.#writeDelta(fieldsOf(choice.delta));
    if (typeof choice.finish_reason === 'string') this.#writeFinish(choice.finish_reason, choice.line);
  }

  #writeFinish(finish: string, line: unknown): void {
    const done_reason = DONE_REASONS.get(finish) ?? finish;
    this.#endCalls(done_reason);
    this.#isOver = true;
    const said = isRecord(line) ? silent(line) : { ...this.#line({}), done: true };
    this.#put({ ...said, done_reason });
  }

  /** Reports whether a line has calls that another call before them keeps waiting. */
  #mustWait({ delta }: SaidStep): boolean {
    return isSet(delta.tool_calls) && [...this.#calls.values()].some(({ isOut }) => !isOut);
  }

  /** Writes a part of the answer. `frame`: the line that it came in. */
  #writeDelta(delta: Fields, frame?: LineFrame): void {
    const { content, reasoning_content, reasoning, tool_calls } = delta;
    const thinking = textOf(reasoning_content) || textOf(reasoning);
    if (thinking !== '') this.#put(this.#line({ thinking }));
    if (textOf(content) !== '') this.#put(this.#line({ content }));
    const pieces = Array.isArray(tool_calls) ? tool_calls.filter(isRecord) : [];
    const isAlone = pieces.length === 1 && thinking === '' && textOf(content) === '';
    for (const piece of pieces) this.#addPiece(piece, isAlone ? frame : undefined);
    if (pieces.length > 0) this.#putWhole();
  }

  /** Adds a piece to a call. A call goes out when it is whole: clients run it at once. */
  #addPiece(piece: Fields, frame: LineFrame | undefined): void {
    const place = Number(piece.index);
    const { name, arguments: said } = fieldsOf(piece.function);
    const call = this.#calls.get(place) ?? newCall(textOf(said), frame);
    this.#calls.set(place, call);
    if (piece.call instanceof CallFields) call.fields = piece.call.fields;
    call.id ||= textOf(piece.id);
    call.name ||= textOf(name);
    call.text += textOf(said);
    call.end.push(textOf(said));
  }

  /** Writes the calls that are whole, up to the first that is not: calls keep their order. */
  #putWhole(): void {
    for (const call of this.#calls.values()) {
      if (!call.isOut && !call.end.isClosed) return;
      if (!call.isOut) this.#putCall(call);
    }
  }

  /** Writes the calls that are left. A call that a limit cut off does not go out: clients would run it. */
  #endCalls(reason: unknown): void {
    for (const call of this.#calls.values()) {
      if (call.isOut) continue;
      if (call.end.isClosed || reason !== 'length') this.#putCall(call);
      else this.#reporter.report('I10', { before: call.text, after: 'left out' });
    }
  }

  #putCall(call: OpenCall): void {
    call.isOut = true;
    const { fields, id, name, text, frame, given } = call;
    const form = fieldsOf(fields.function);
    const named = id === '' || id.startsWith(OWN_ID) || id === fields.id ? fields : { ...fields, id };
    if (frame !== undefined && text === given && name === form.name && named === fields) {
      this.#out.push(frame);
      return;
    }
    const value = objectIn(text);
    const said = form.arguments;
    if (value !== undefined && typeof said === 'string') this.#reporter.report('I10', { before: said, after: value });
    this.#put(this.#line({ tool_calls: [{ ...named, function: { ...form, name, arguments: value ?? text } }] }));
  }

  /** Returns a line with a part of the answer. */
  #line(fields: Fields): Fields {
    const { response, ...head } = this.#head;
    const isPrompt = response !== undefined && fields.tool_calls === undefined;
    if (!isPrompt) return { ...head, message: { role: 'assistant', content: '', ...fields }, done: false };
    const { content = '', ...rest } = fields;
    return { ...head, response: content, ...rest, done: false };
  }

  #put(line: Fields): void {
    this.#out.push(lineFrame(line));
  }
}

const NO_ANSWER = 'The server ended the response without sending any answer. Try again.';

/** Call of which pieces have come. */
interface OpenCall {
  id: string;
  name: string;
  /** Fields of the call as it came. */
  fields: Fields;
  text: string;
  readonly end: ObjectEnd;
  isOut: boolean;
  /** The line that the call came in, if it has nothing else, and the text of the arguments there. */
  readonly frame: LineFrame | undefined;
  readonly given: string;
}

function newCall(given: string, frame: LineFrame | undefined): OpenCall {
  return { id: '', name: '', fields: {}, text: '', end: new ObjectEnd(), isOut: false, frame, given };
}

/** Returns the end of an answer without the part of the answer in the same line. */
function silent(line: Fields): Fields {
  const { thinking, reasoning, reasoning_content, tool_calls, ...rest } = messageIn(line);
  if (!isRecord(line.message)) {
    const { thinking: _, ...others } = line;
    return withMessage(others, { content: '' });
  }
  return { ...line, message: { ...rest, content: '' } };
}
