import { isRecord } from '../../base/json-schema.ts';
import { callId } from '../../wire/lowering/own-ids.ts';
import { deltaChunk, SILENT_CHUNK } from '../chat/borrow-repair.ts';
import { readReasoning } from '../chat/reasoning-fields.ts';
import type { RepairContext } from '../context.ts';
import { fieldsOf, isSet, textOf, writtenJson } from '../field-values.ts';
import type { GrownPiece } from '../growing-text.ts';
import type { RepairReporter } from '../report.ts';
import { readBlockDelta } from './block-delta.ts';
import { extraReading, inputChunk, madePiece, pieceFrame, signatureFrame, startReading } from './block-readings.ts';
import { type BlockStart, missingStart, readBlockStart } from './block-start.ts';
import { type BlockPiece, ReadBlock } from './read-block.ts';
import { type BlockKind, type EventReading, eventFrame, type MessageFrame, type ServerBlock } from './step.ts';

/** Blocks that are remembered. No message has that many. */
const MAX_KNOWN = 1024;

/** Reads the events of blocks. Pieces that belong to no block get one (I2). */
export class BlockReader {
  readonly #reporter: RepairReporter;
  readonly #tools: RepairContext['tools'];
  /** Blocks by the indexes that their server uses. */
  readonly #byIndex = new Map<number, ReadBlock>();
  /** Blocks that the server has not closed, in the order of their beginnings. */
  #open: ReadBlock[] = [];
  /** Calls that ended without input, until it is clear that none comes late. */
  #blanks: ReadBlock[] = [];
  /** Calls with stray pieces. */
  #strayed: ReadBlock[] = [];
  #starts = 0;
  #calls = 0;

  constructor(reporter: RepairReporter, tools: RepairContext['tools']) {
    this.#reporter = reporter;
    this.#tools = tools;
  }

  /** Returns the block that an index means. */
  at(index: unknown): ServerBlock | undefined {
    return isPlace(index) ? this.#byIndex.get(index) : undefined;
  }

  start(frame: MessageFrame): readonly EventReading[] {
    const start = readBlockStart(frame, this.#reporter);
    const { index } = frame.json;
    if (start === undefined || this.#isRepeated(index, start)) return this.#leaveOut(frame);
    if (index !== this.#starts) this.#reportIndex(index, `index ${this.#starts}`);
    const isTorn = start.kind === 'call' && this.#hasEarlyInput(index);
    const torn = this.#tearStrays(index);
    const block = this.#begin(start, isPlace(index) ? index : this.#starts);
    const { text } = start;
    return [
      ...torn,
      // A server that ends calls too early begins the next one before it sends any input.
      ...(start.kind === 'call' && this.#blanks.every((blank) => this.#takesInput(blank)) ? [] : this.#takeBlanks()),
      startReading(block),
      ...(text === '' ? [] : this.#piece(block, madePiece(block, text))),
      ...(isTorn ? this.#tear(block) : []),
    ];
  }

  delta(frame: MessageFrame): readonly EventReading[] {
    const { index, delta: said } = frame.json;
    if (!isRecord(said)) {
      this.#reporter.report('A11', { before: frame.json, after: 'left out' });
      return [];
    }
    const { kind, content, delta } = readBlockDelta(said, this.#reporter);
    const sound = delta === said ? frame : eventFrame({ ...frame.json, delta });
    const known = this.#blockFor(index, kind);
    const isLost = kind === undefined || content === undefined;
    const block = known ?? (isLost ? undefined : this.#beginMissing(kind, index));
    if (block === undefined || block.isTorn) return this.#leaveOut(frame);
    if (block.isBlank) return isEmptyInput(content?.value) ? this.#leaveOut(frame) : this.#failLate(frame);
    if (this.#isLate(block)) return this.#takeLate(block, { frame: sound, value: content?.value });
    const blank = this.#blanks.includes(block) ? [] : this.#takeBlanks();
    const before = known === undefined ? [...blank, startReading(block)] : blank;
    if (content === undefined || block.kind === 'other') return [...before, extraReading(block, sound)];
    const piece = { frame: sound, value: content.value };
    return [...before, ...(block.kind === 'call' ? this.#callPiece(block, index, piece) : this.#piece(block, piece))];
  }

  stop(frame: MessageFrame): readonly EventReading[] {
    const { index } = frame.json;
    const known = isPlace(index) ? this.#byIndex.get(index) : undefined;
    const block = known ?? (this.#open.length === 1 ? this.#open[0] : undefined);
    if (known === undefined || known.stopped)
      this.#reportIndex(index, block?.stopped === false ? 'the open block' : LEFT_OUT);
    const torn = known === undefined ? this.#tearStrays(index) : [];
    if (block === undefined || block.stopped) return torn;
    const rest = [...torn, ...this.#rest(block)];
    block.stopped = true;
    this.#open = this.#open.filter((other) => other !== block);
    const isBlank = block.kind === 'call' && !block.said && block.strays.length === 0 && !this.#needsInput(block);
    const before = isBlank ? [] : this.#takeBlanks();
    if (isBlank) this.#blanks.push(block);
    return [...before, ...rest, { chunk: SILENT_CHUNK, step: { type: 'stop', block, frame } }];
  }

  /** Returns everything that waits for the end of its block. `isCut`: the message is not whole. */
  settle(isCut: boolean): readonly EventReading[] {
    const strayed = this.#strayed.flatMap((block) => (isCut ? this.#tear(block) : this.#takeStrays(block)));
    this.#strayed = [];
    return [...this.#takeBlanks(), ...strayed, ...this.#open.flatMap((block) => this.#rest(block))];
  }

  /**
   * Reads a piece of input. A call takes its input from one index only: another index is that of another call. Input
   * under an index that did not begin yet waits, because it belongs to this call only if no block begins under that
   * index.
   */
  #callPiece(block: ReadBlock, index: unknown, piece: BlockPiece): readonly EventReading[] {
    if (!isPlace(index) || piece.value === '') return this.#piece(block, piece);
    const isStray = index !== block.index && !this.#byIndex.has(index);
    if (isStray) {
      if (block.strays.length === 0) this.#strayed.push(block);
      block.source = index;
      block.strays.push(piece);
      return [];
    }
    const lost = block.strays.length === 0 ? [] : this.#loseStrays(block);
    const isMixed = block.source !== undefined && block.source !== index;
    if (isMixed) return [...lost, ...this.#tear(block)];
    block.source = index;
    return [...lost, ...this.#piece(block, piece)];
  }

  /** Gives the stray pieces of a call that has input of its own a block of their own. */
  #loseStrays(block: ReadBlock): readonly EventReading[] {
    const { strays, source } = block;
    this.#forgetStrays(block);
    const lost = this.#beginMissing('call', source);
    return [startReading(lost), ...strays.flatMap((piece) => this.#piece(lost, piece))];
  }

  #takeStrays(block: ReadBlock): readonly EventReading[] {
    return block.strays.splice(0).flatMap((piece) => this.#piece(block, piece));
  }

  #forgetStrays(block: ReadBlock): void {
    block.strays = [];
    block.source = undefined;
    this.#strayed = this.#strayed.filter((other) => other !== block);
  }

  /** Reports whether input has come under the index of a block that only begins now. */
  #hasEarlyInput(index: unknown): boolean {
    const known = isPlace(index) ? this.#byIndex.get(index) : undefined;
    return known?.isMissing === true || this.#strayed.some(({ source }) => source === index);
  }

  /** Tears the calls with stray pieces of a block that turns out to exist: it is unclear whose input is whose. */
  #tearStrays(index: unknown): readonly EventReading[] {
    return this.#strayed.filter(({ source }) => source === index).flatMap((block) => this.#tear(block));
  }

  /** Makes sure that a call does not run whose input may be that of two calls: a text in it stays open. */
  #tear(block: ReadBlock): readonly EventReading[] {
    this.#forgetStrays(block);
    block.unsaid.input = '';
    this.#reporter.report('I2', { before: 'input of two calls', after: 'a call that cannot run' });
    const waiting = this.#endInput(block);
    const opening = block.end.isInText ? '' : `${block.said ? '' : '{'}"`;
    block.said = true;
    block.isTorn = true;
    return [...waiting, ...this.#grow(block, opening + TORN, pieceFrame(block, opening + TORN))];
  }

  /** Fails the message because of input of a call that went out without any. */
  #failLate(frame: MessageFrame): readonly EventReading[] {
    this.#reporter.report('I2', { before: frame.json, after: 'an error' });
    const error = { type: 'api_error', code: 'stream_closed', message: LATE };
    const failure = eventFrame({ type: 'error', error });
    return [{ chunk: failure.json, step: { type: 'error', frame: failure } }];
  }

  /** Reports whether other calls began or ended after a call that ended without input. */
  #isLate(block: ReadBlock): boolean {
    if (!this.#blanks.includes(block)) return false;
    const isWaiting = this.#blanks.some(({ late }) => late.length > 0);
    return isWaiting || block !== this.#blanks.at(-1) || this.#isOvertaken(block);
  }

  /** Reports whether a later call is open. */
  #isOvertaken({ place = 0 }: ReadBlock): boolean {
    return this.#open.some((other) => other.place !== undefined && other.place > place);
  }

  /** Keeps late input until it is clear whose it is. While a later call is open, it may be the input of that call. */
  #takeLate(block: ReadBlock, piece: BlockPiece): readonly EventReading[] {
    if (isEmptyInput(piece.value)) return this.#leaveOut(piece.frame);
    if (this.#isOvertaken(block)) return this.#failLate(piece.frame);
    block.late.push(piece);
    return [];
  }

  /**
   * Returns the input of the calls that ended without any: nothing, or what came late, if it came for all of them. If it
   * came for some, it is not clear whose it is.
   */
  #takeBlanks(): readonly EventReading[] {
    const blanks = this.#blanks.splice(0);
    const [late] = blanks.flatMap((block) => block.late);
    const isUnclear = blanks.some((block) => !block.said && block.late.length === 0);
    if (late !== undefined && isUnclear) return this.#failLate(late.frame);
    return blanks.flatMap((block): readonly EventReading[] => {
      if (late !== undefined) return block.late.splice(0).flatMap((piece) => this.#piece(block, piece));
      block.isBlank = !block.said;
      return block.said ? [] : [{ chunk: inputChunk(block, '{}'), step: { type: 'blank', block } }];
    });
  }

  #begin({ kind, frame, input, signature }: Omit<BlockStart, 'text'>, index: number): ReadBlock {
    if (this.#byIndex.size > MAX_KNOWN) this.#forgetStopped();
    const place = kind === 'call' ? this.#calls++ : undefined;
    const block = new ReadBlock(kind, place === undefined ? frame : this.#withId(frame, place), index, place);
    block.unsaid = { input, signature };
    this.#starts++;
    this.#byIndex.set(index, block);
    this.#open.push(block);
    return block;
  }

  #beginMissing(kind: Exclude<BlockKind, 'other'>, said: unknown): ReadBlock {
    const index = isPlace(said) && this.#byIndex.get(said)?.stopped !== false ? said : this.#starts;
    const frame = eventFrame(missingStart(kind, index));
    const block = this.#begin({ kind, frame, input: '', signature: '' }, index);
    block.isMissing = kind === 'call';
    return block;
  }

  /** Returns the beginning of a call that has neither an id nor a name with an id (B3): a repair takes it for nothing. */
  #withId(frame: MessageFrame, place: number): MessageFrame {
    const block = fieldsOf(frame.json.content_block);
    if (textOf(block.id) !== '' || textOf(block.name) !== '') return frame;
    const id = callId('', place, '');
    this.#reporter.report('B3', { callId: id, before: '', after: id });
    return eventFrame({ ...frame.json, content_block: { ...block, id } });
  }

  /** Returns the block that a piece belongs to; undefined if it belongs to none. */
  #blockFor(index: unknown, kind: BlockKind | undefined): ReadBlock | undefined {
    const known = isPlace(index) ? this.#byIndex.get(index) : undefined;
    const fits = known !== undefined && (known.kind === 'other' || kind === undefined || known.kind === kind);
    if (fits && !known.stopped) return known;
    // More input of a call after its end is judged like any other input.
    const found = fits && kind === 'call' ? known : this.#openFor(index, kind);
    this.#reportIndex(index, found === undefined ? 'a block of its own' : `the block with the index ${found.index}`);
    return found;
  }

  /** Returns the open block that a piece may continue, whatever its index says. */
  #openFor(index: unknown, kind: BlockKind | undefined): ReadBlock | undefined {
    const open = this.#open.filter((block) => block.misses(kind));
    if (kind !== 'call' || !isPlace(index)) return open.at(-1);
    const same = [...open, ...this.#strayed].find((block) => block.source === index);
    const only = open.length === 1 ? open[0] : undefined;
    return same ?? (only?.hasNoInput === true ? only : undefined);
  }

  /** Reports whether a block that was just begun begins again. */
  #isRepeated(index: unknown, { frame }: BlockStart): boolean {
    const known = isPlace(index) ? this.#byIndex.get(index) : undefined;
    if (known === undefined || known.stopped || known.said) return false;
    const [old, now] = [known.start, frame.json].map((event) => fieldsOf(event.content_block));
    return old?.type === now?.type && old?.id === now?.id && old?.name === now?.name;
  }

  /** Reads the content of a piece. */
  #piece(block: ReadBlock, { frame, value }: BlockPiece): readonly EventReading[] {
    if (value === '') return [{ chunk: SILENT_CHUNK, step: { type: 'empty', block, frame } }];
    if (!isReadable(block.kind, value)) {
      this.#reporter.report('B12', { before: frame.json, after: LEFT_OUT });
      return [];
    }
    block.said = true;
    if (block.kind === 'call') return this.#inputPiece(block, frame, value);
    return [{ chunk: deltaChunk({ [FIELDS[block.kind]]: value }), step: { type: 'delta', block, frame } }];
  }

  /** Reads input of a call, which may be something else than a text (C1). */
  #inputPiece(block: ReadBlock, frame: MessageFrame, value: unknown): readonly EventReading[] {
    if (typeof value === 'string') return this.#grow(block, value, frame);
    const text = writtenJson(value);
    // The repair gives up a response with a value that cannot be written.
    if (text === undefined) return [{ chunk: inputChunk(block, value), step: { type: 'delta', block, frame } }];
    this.#reporter.report('C1', { before: frame.json.delta, after: text });
    return this.#grow(block, text, pieceFrame(block, text));
  }

  #grow(block: ReadBlock, text: string, frame: MessageFrame): readonly EventReading[] {
    const grown = this.#grown(block, block.input.push(text, frame));
    return block.stopped ? [...grown, ...this.#endInput(block)] : grown;
  }

  /** Returns the pieces that waited. A piece after the end of the block may still repeat the one before it. */
  #endInput(block: ReadBlock): readonly EventReading[] {
    return block.input.isWaiting() ? this.#grown(block, block.input.end()) : [];
  }

  #grown(block: ReadBlock, pieces: readonly GrownPiece<MessageFrame>[]): readonly EventReading[] {
    return pieces.flatMap(({ piece, said, repeats }): EventReading[] => {
      block.end.push(said);
      if (!repeats) return [{ chunk: inputChunk(block, said), step: { type: 'delta', block, frame: piece } }];
      this.#reporter.report('I12', { before: fieldsOf(piece.json.delta).partial_json, after: said });
      if (said === '') return [];
      return [{ chunk: inputChunk(block, said), step: { type: 'delta', block, frame: pieceFrame(block, said) } }];
    });
  }

  /** Returns everything of a block that was not sent yet. */
  #rest(block: ReadBlock): readonly EventReading[] {
    const { input, signature } = block.unsaid;
    block.unsaid = { input: '', signature: '' };
    const waiting = this.#endInput(block);
    const whole = input === '' || block.said ? [] : this.#piece(block, madePiece(block, input));
    const left = signature === '' ? [] : [extraReading(block, signatureFrame(block, signature))];
    return [...waiting, ...whole, ...this.#endInput(block), ...left];
  }

  /** Reports whether a call without input lacks something, which may still come. */
  #needsInput({ start }: ReadBlock): boolean {
    const { name } = fieldsOf(start.content_block);
    const required = this.#tools.get(textOf(name))?.schema?.required;
    return Array.isArray(required) && required.length > 0;
  }

  /** Reports whether a call may have input. */
  #takesInput({ start }: ReadBlock): boolean {
    const { name } = fieldsOf(start.content_block);
    return Object.keys(fieldsOf(this.#tools.get(textOf(name))?.schema?.properties)).length > 0;
  }

  #forgetStopped(): void {
    for (const [index, { stopped }] of this.#byIndex) if (stopped) this.#byIndex.delete(index);
  }

  #leaveOut(frame: MessageFrame): readonly EventReading[] {
    this.#reporter.report('I2', { before: frame.json, after: LEFT_OUT });
    return [];
  }

  #reportIndex(index: unknown, after: string): void {
    this.#reporter.report('I2', { before: isPlace(index) ? `index ${index}` : 'no index', after });
  }
}

const LEFT_OUT = 'left out';
const TORN = 'The input of this call came mixed with that of another call.';
const LATE =
  'The stream is broken: the input of a call came after the call had ended without any, and it is lost. Try again.';

/** Reports whether a late piece means the same as none. */
function isEmptyInput(value: unknown): boolean {
  if (isRecord(value)) return Object.keys(value).length === 0;
  return !isSet(value) || (typeof value === 'string' && EMPTY_INPUT.test(value));
}

const EMPTY_INPUT = /^\s*(?:\{\s*\}\s*)?$/;

/** Reports whether a piece says something. Texts may come as objects and lists, and input as anything. */
function isReadable(kind: BlockKind, value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (kind === 'call') return isSet(value);
  if (kind === 'thinking') return readReasoning({ reasoning_content: value }).thought !== '';
  return Array.isArray(value);
}

const FIELDS = { text: 'content', thinking: 'reasoning_content', other: '' } as const;

function isPlace(index: unknown): index is number {
  return Number.isSafeInteger(index) && Number(index) >= 0;
}
