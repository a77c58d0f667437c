import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { END_MARK } from '../../wire/chat/end-mark.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { SILENT_CHUNK } from '../chat/borrow-repair.ts';
import type { RepairContext } from '../context.ts';
import { fieldsOf, isSet, textOf } from '../field-values.ts';
import { foreignProtocol } from '../foreign-protocol.ts';
import type { RepairReporter } from '../report.ts';
import { BlockReader } from './block-reader.ts';
import { readMessageDelta } from './message-delta.ts';
import { soundUsage } from './message-usage.ts';
import { soundEvent } from './sound-event.ts';
import { type EventReading, eventFrame, type MessageFrame } from './step.ts';
import { blockEvents, eventsOf, isWholeMessage, wrappedMessage } from './whole-message.ts';

/** Reads the events of one message as chunks that mean the same. */
export class EventReader {
  readonly blocks: BlockReader;
  readonly #reporter: RepairReporter;
  #hasBegun = false;
  #hasUsage = false;
  #foreign: string | undefined;
  /** Whether the stop reason is out. */
  #isOver = false;
  /** The stop reason, and everything after it that belongs to no block. */
  #last: EventReading[] = [];

  constructor(reporter: RepairReporter, tools: RepairContext['tools']) {
    this.#reporter = reporter;
    this.blocks = new BlockReader(reporter, tools);
  }

  /** Reads the value of a frame. */
  read(frame: Frame, value: Fields): readonly EventReading[] {
    const event = soundEvent(frame, value, this.#reporter);
    const body = this.#hasBegun ? undefined : this.#bodyIn(event.json);
    return body === undefined ? this.#readEvent(event) : this.#readBody(body);
  }

  /** The sentence about another protocol, if nothing of this one has come. */
  get foreign(): string | undefined {
    return this.#hasBegun ? undefined : this.#foreign;
  }

  /** Whether the stop reason has come. */
  get isStopped(): boolean {
    return this.#isOver || this.#last.length > 0;
  }

  /** Reads data that is not a JSON object. */
  readData({ event, data }: Frame): readonly EventReading[] {
    if (event === 'error') return this.read({ event, data }, { error: data.trim() });
    const text = data.trim();
    const before = text === END_MARK || text.startsWith('{') ? this.#finish() : [];
    return [...before, { chunk: data, step: { type: 'data' } }];
  }

  /** Returns everything that waits when the connection ends. */
  end(): readonly EventReading[] {
    return this.#finish(!this.isStopped);
  }

  #readEvent(frame: MessageFrame): readonly EventReading[] {
    const { type } = frame.json;
    if (type === 'message_start') return this.#readStart(frame);
    const before = PARTS.has(type) && !this.#hasBegun ? this.#beginMissing() : [];
    return [...before, ...this.#readPart(frame)];
  }

  #readPart(frame: MessageFrame): readonly EventReading[] {
    switch (frame.json.type) {
      case 'content_block_start':
        return this.#readBlock(frame, (block) => this.blocks.start(block));
      case 'content_block_delta':
        return this.#readBlock(frame, (block) => this.blocks.delta(block));
      case 'content_block_stop':
        return this.#readBlock(frame, (block) => this.blocks.stop(block));
      case 'message_delta':
        return this.#readDelta(frame);
      case 'message_stop':
        return this.#readEnd(frame);
      case 'error':
        return this.#readError(frame);
      default:
        return this.#readOther(frame);
    }
  }

  #readStart(frame: MessageFrame): readonly EventReading[] {
    if (this.#hasBegun) {
      this.#reporter.report('I9', { before: frame.json, after: 'left out' });
      return [];
    }
    this.#hasBegun = true;
    const said = fieldsOf(frame.json.message);
    const blocks = Array.isArray(said.content) ? said.content.filter(isRecord) : [];
    const usage = soundUsage(said.usage, ['input_tokens', 'output_tokens'], this.#reporter);
    const isSound = blocks.length === 0 && usage === said.usage && Array.isArray(said.content);
    const message = isSound ? said : { ...said, content: [], usage };
    if (blocks.length > 0) this.#reporter.report('I1', { before: said, after: 'pieces' });
    const sound = isSound ? frame : eventFrame({ ...frame.json, message });
    const chunk = { id: textOf(said.id), choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] };
    return [{ chunk, step: { type: 'message', frame: sound } }, ...this.#readAll(blockList(blocks, this.#reporter))];
  }

  /** Begins a message that its server did not begin (I9). */
  #beginMissing(): readonly EventReading[] {
    this.#reporter.report('I9', { before: 'no message_start', after: 'message_start' });
    return this.#readStart(eventFrame(missingMessage()));
  }

  /**
   * Reads the stop reason. It goes out with the end of the message: blocks may follow it, and a message with a stop
   * reason is over for its client.
   */
  #readDelta(frame: MessageFrame): readonly EventReading[] {
    this.#hasUsage ||= isRecord(frame.json.usage);
    const reading = readMessageDelta(frame, this.#reporter);
    if (this.#last.length === 0 && reading.step.type !== 'finish') return [reading];
    this.#last.push(reading);
    return [];
  }

  #readBlock(frame: MessageFrame, read: (frame: MessageFrame) => readonly EventReading[]): readonly EventReading[] {
    const isLate = this.#last.length > 0 || this.#isOver;
    if (isLate)
      this.#reporter.report('I2', {
        before: 'a block after the stop reason',
        after: this.#isOver ? 'left out' : 'before it',
      });
    return this.#isOver ? [] : read(frame);
  }

  #readError(frame: MessageFrame): readonly EventReading[] {
    this.#hasBegun = true;
    const last = this.#finish();
    // After a stop reason no call in the error can count.
    const chunk = this.#isOver ? { error: 'after the stop reason' } : frame.json;
    return [...last, { chunk, step: { type: 'error', frame } }];
  }

  #readOther(frame: MessageFrame): readonly EventReading[] {
    const foreign = foreignProtocol(frame.json, 'messages');
    this.#foreign ??= foreign;
    if (foreign !== undefined) return [];
    const reading: EventReading = { chunk: SILENT_CHUNK, step: { type: 'other', frame } };
    if (this.#last.length === 0) return [reading];
    this.#last.push(reading);
    return this.#last.length > MAX_LAST ? this.#finish() : [];
  }

  /** Returns everything that waits for the end of the message. `isCut`: the end is that of the connection alone. */
  #finish(isCut = false): readonly EventReading[] {
    const last = this.#last;
    this.#last = [];
    this.#isOver ||= last.length > 0;
    return [...this.blocks.settle(isCut), ...last];
  }

  #readEnd(frame: MessageFrame): readonly EventReading[] {
    this.#hasBegun = true;
    const { usage, ...rest } = frame.json;
    const isMisplaced = isRecord(usage) && !this.#hasUsage;
    if (isMisplaced) this.#reporter.report('F15', { before: frame.json, after: { type: 'message_delta', usage } });
    const sound = isMisplaced ? eventFrame(rest) : frame;
    const counted = isMisplaced ? soundUsage(usage, ['output_tokens'], this.#reporter) : undefined;
    return [...this.#finish(), { chunk: END_MARK, step: { type: 'end', frame: sound, usage: counted } }];
  }

  /** Returns the whole message that a value holds (F12). */
  #bodyIn(value: Fields): Fields | undefined {
    if (isWholeMessage(value)) return value;
    const body = isSet(value.type) ? undefined : wrappedMessage(value);
    if (body !== undefined) this.#reporter.report('F12', { before: value, after: body });
    return body;
  }

  #readBody(body: Fields): readonly EventReading[] {
    this.#reporter.report('F13', { before: body, after: 'a stream' });
    return this.#readAll(eventsOf(body, this.#reporter));
  }

  #readAll(events: readonly Fields[]): readonly EventReading[] {
    return events.flatMap((event) => this.#readEvent(eventFrame(event)));
  }
}

/** The most events that wait with the stop reason. */
const MAX_LAST = 64;

/** Types of the events that only a message has which has begun. */
const PARTS: ReadonlySet<unknown> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
]);

/** Returns the beginning of a message that its server did not begin. */
export function missingMessage(): Fields {
  return {
    type: 'message_start',
    message: {
      id: 'msg_repaired',
      type: 'message',
      role: 'assistant',
      model: '',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  };
}

function blockList(blocks: readonly Fields[], reporter: RepairReporter): Fields[] {
  return blocks.flatMap((block, index) => blockEvents(block, index, reporter));
}
