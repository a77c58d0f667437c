import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { callId } from '../../wire/lowering/own-ids.ts';
import { deltaChunk, SILENT_CHUNK } from '../chat/borrow-repair.ts';
import { readReasoning } from '../chat/reasoning-fields.ts';
import type { RepairContext } from '../context.ts';
import { fieldsOf, isSet, textOf, writtenJson } from '../field-values.ts';
import { createGrowingText, type GrowingTextOptions, type GrownPiece, TELLING_PIECES } from '../growing-text.ts';
import { ObjectEnd } from '../object-end.ts';
import type { RepairReporter } from '../report.ts';
import { readBlockDelta } from './block-delta.ts';
import { type BlockStart, missingStart, readBlockStart } from './block-start.ts';
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
  /** Call that ended without input, until it is clear that none comes late. */
  #blank: ReadBlock | undefined;
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
    const block = this.#begin(start, isPlace(index) ? index : this.#starts);
    const { text } = start;
    return [
      ...this.#takeBlank(),
      startReading(block),
      ...(text === '' ? [] : this.#piece(block, pieceFrame(block, text), text)),
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
    if (block === undefined || block.isBlank) return this.#leaveOut(frame);
    const blank = block === this.#blank ? [] : this.#takeBlank();
    const before = known === undefined ? [...blank, startReading(block)] : blank;
    const isPlain = content === undefined || block.kind === 'other';
    return [...before, ...(isPlain ? [extraReading(block, sound)] : this.#piece(block, sound, content.value))];
  }

  stop(frame: MessageFrame): readonly EventReading[] {
    const { index } = frame.json;
    const known = isPlace(index) ? this.#byIndex.get(index) : undefined;
    const block = known ?? (this.#open.length === 1 ? this.#open[0] : undefined);
    if (known === undefined || known.stopped)
      this.#reportIndex(index, block?.stopped === false ? 'the open block' : LEFT_OUT);
    if (block === undefined || block.stopped) return [];
    const rest = this.#rest(block);
    block.stopped = true;
    this.#open = this.#open.filter((other) => other !== block);
    const before = this.#takeBlank();
    if (block.kind === 'call' && !block.said && !this.#needsInput(block)) this.#blank = block;
    return [...before, ...rest, { chunk: SILENT_CHUNK, step: { type: 'stop', block, frame } }];
  }

  /** Returns everything that waits for the end of its block. */
  settle(): readonly EventReading[] {
    return [...this.#takeBlank(), ...this.#open.flatMap((block) => this.#rest(block))];
  }

  /** Returns the empty input of a call that ended without any, unless some has come since. */
  #takeBlank(): readonly EventReading[] {
    const block = this.#blank;
    this.#blank = undefined;
    if (block === undefined || block.said) return [];
    block.isBlank = true;
    return [{ chunk: inputChunk(block, '{}'), step: { type: 'blank', block } }];
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
    return this.#begin({ kind, frame, input: '', signature: '' }, index);
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
    const found = fits && kind === 'call' ? known : this.#open.findLast((block) => block.misses(kind));
    this.#reportIndex(index, found === undefined ? 'a block of its own' : `the block with the index ${found.index}`);
    return found;
  }

  /** Reports whether a block that was just begun begins again. */
  #isRepeated(index: unknown, { frame }: BlockStart): boolean {
    const known = isPlace(index) ? this.#byIndex.get(index) : undefined;
    if (known === undefined || known.stopped || known.said) return false;
    const [old, now] = [known.start, frame.json].map((event) => fieldsOf(event.content_block));
    return old?.type === now?.type && old?.id === now?.id && old?.name === now?.name;
  }

  /** Reads the content of a piece. */
  #piece(block: ReadBlock, frame: MessageFrame, value: unknown): readonly EventReading[] {
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
    if (typeof value === 'string') return this.#grown(block, block.input.push(value, frame));
    const text = writtenJson(value);
    // The repair gives up a response with a value that cannot be written.
    if (text === undefined) return [{ chunk: inputChunk(block, value), step: { type: 'delta', block, frame } }];
    this.#reporter.report('C1', { before: frame.json.delta, after: text });
    return this.#grown(block, block.input.push(text, pieceFrame(block, text)));
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
    const waiting = this.#grown(block, block.input.end());
    const whole = input === '' || block.said ? [] : this.#piece(block, pieceFrame(block, input), input);
    const left = signature === '' ? [] : [extraReading(block, signatureFrame(block, signature))];
    return [...waiting, ...whole, ...this.#grown(block, block.input.end()), ...left];
  }

  /** Reports whether a call without input lacks something, which may still come. */
  #needsInput({ start }: ReadBlock): boolean {
    const { name } = fieldsOf(start.content_block);
    const required = this.#tools.get(textOf(name))?.schema?.required;
    return Array.isArray(required) && required.length > 0;
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

/** Block with the state of its reading. */
class ReadBlock implements ServerBlock {
  readonly kind: BlockKind;
  readonly frame: MessageFrame;
  readonly index: number;
  readonly place: number | undefined;
  readonly input = createGrowingText<MessageFrame>(GROWING_INPUT);
  readonly end = new ObjectEnd();
  said = false;
  stopped = false;
  /** Whether the call went out without input. Input that comes later would make a second call. */
  isBlank = false;
  /** Input and signature that came with the beginning (I1), until they are sent. */
  unsaid = { input: '', signature: '' };

  constructor(kind: BlockKind, frame: MessageFrame, index: number, place: number | undefined) {
    this.kind = kind;
    this.frame = frame;
    this.index = index;
    this.place = place;
  }

  get start(): Fields {
    return this.frame.json;
  }

  /** Reports whether a piece of this kind may continue the block, whatever its index says. */
  misses(kind: BlockKind | undefined): boolean {
    return kind === undefined || (this.kind === kind && !(kind === 'call' && this.end.isClosed));
  }

  /** A block stands in chunks, and reports of repairs quote chunks. */
  toJSON(): undefined {
    return undefined;
  }
}

/** A nested object may begin like the whole input. Then the pieces together are JSON, and the last is not. */
const GROWING_INPUT: GrowingTextOptions = {
  isTold: (pieces) => pieces.length >= TELLING_PIECES,
  isToldAtEnd: (pieces) => isObject(pieces.at(-1) ?? '') && !isObject(pieces.join('')),
};

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Reports whether a piece says something. Texts may come as objects and lists, and input as anything. */
function isReadable(kind: BlockKind, value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (kind === 'call') return isSet(value);
  if (kind === 'thinking') return readReasoning({ reasoning_content: value }).thought !== '';
  return Array.isArray(value);
}

const FIELDS = { text: 'content', thinking: 'reasoning_content', other: '' } as const;

function startReading(block: ReadBlock): EventReading {
  const { place, frame } = block;
  const step = { type: 'start', block, frame } as const;
  if (block.kind !== 'call') return { chunk: SILENT_CHUNK, step };
  const { id, name } = fieldsOf(block.start.content_block);
  const form = { name: textOf(name), arguments: '' };
  const piece = { index: place, id: textOf(id), type: 'function', function: form, block };
  return { chunk: deltaChunk({ tool_calls: [piece] }), step };
}

function extraReading(block: ReadBlock, frame: MessageFrame): EventReading {
  return { chunk: SILENT_CHUNK, step: { type: 'delta', block, frame } };
}

function inputChunk(block: ReadBlock, input: unknown): Fields {
  return deltaChunk({ tool_calls: [{ index: block.place, function: { arguments: input }, block }] });
}

function pieceFrame({ index, kind }: ReadBlock, text: string): MessageFrame {
  return eventFrame({ type: 'content_block_delta', index, delta: deltaOf(kind, text) });
}

function signatureFrame({ index }: ReadBlock, signature: string): MessageFrame {
  return eventFrame({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } });
}

/** Returns the delta of a piece. */
export function deltaOf(kind: BlockKind, text: string): Fields {
  if (kind === 'text') return { type: 'text_delta', text };
  if (kind === 'thinking') return { type: 'thinking_delta', thinking: text };
  return { type: 'input_json_delta', partial_json: text };
}

function isPlace(index: unknown): index is number {
  return Number.isSafeInteger(index) && Number(index) >= 0;
}
