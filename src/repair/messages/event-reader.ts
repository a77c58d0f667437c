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
import { messageUsage } from './message-usage.ts';
import { soundEvent } from './sound-event.ts';
import { type EventFrame, eventFrame, type Reading } from './step.ts';
import { readStop } from './stop-reasons.ts';
import { blockEvents, eventsOf, isWholeMessage, wrappedMessage } from './whole-message.ts';

/** Reads the events of one message as chunks that mean the same. */
export class EventReader {
  readonly blocks: BlockReader;
  readonly #reporter: RepairReporter;
  #hasBegun = false;
  #hasUsage = false;
  #foreign: string | undefined;

  constructor(reporter: RepairReporter, tools: RepairContext['tools']) {
    this.#reporter = reporter;
    this.blocks = new BlockReader(reporter, tools);
  }

  /** Reads the value of a frame. */
  read(frame: Frame, value: Fields): readonly Reading[] {
    const event = soundEvent(frame, value, this.#reporter);
    const { json } = event;
    const body = isWholeMessage(json) ? json : this.#unwrapped(json);
    if (body !== undefined && !this.#hasBegun) return this.#readBody(body);
    return this.#readEvent(event);
  }

  /** The sentence about another protocol, if nothing of this one has come. */
  get foreign(): string | undefined {
    return this.#hasBegun ? undefined : this.#foreign;
  }

  /** Reads data that is not a JSON object. */
  readData({ event, data }: Frame): readonly Reading[] {
    if (event === 'error') return this.read({ event, data }, { error: data.trim() });
    const before = data.trim() === END_MARK ? this.blocks.settle() : [];
    return [...before, { chunk: data, step: { type: 'data' } }];
  }

  /** Returns everything that waits when the connection ends. */
  end(): readonly Reading[] {
    return this.blocks.settle();
  }

  #readEvent(frame: EventFrame): readonly Reading[] {
    const { type } = frame.json;
    if (type === 'message_start') return this.#readStart(frame);
    if (PARTS.has(type)) this.#hasBegun = true;
    switch (type) {
      case 'content_block_start':
        return this.blocks.start(frame);
      case 'content_block_delta':
        return this.blocks.delta(frame);
      case 'content_block_stop':
        return this.blocks.stop(frame);
      case 'message_delta':
        return this.#readDelta(frame);
      case 'message_stop':
        return this.#readEnd(frame);
      case 'error':
        return [{ chunk: frame.json, step: { type: 'error', frame } }];
      default:
        this.#foreign ??= foreignProtocol(frame.json, 'messages');
        return [{ chunk: SILENT_CHUNK, step: { type: 'other', frame } }];
    }
  }

  #readStart(frame: EventFrame): readonly Reading[] {
    if (this.#hasBegun) {
      this.#reporter.report('I9', { before: frame.json, after: 'left out' });
      return [];
    }
    this.#hasBegun = true;
    const said = fieldsOf(frame.json.message);
    const blocks = Array.isArray(said.content) ? said.content.filter(isRecord) : [];
    const usage = this.#soundUsage(said.usage, ['input_tokens', 'output_tokens']);
    const isSound = blocks.length === 0 && usage === said.usage && Array.isArray(said.content);
    const message = isSound ? said : { ...said, content: [], usage };
    if (blocks.length > 0) this.#reporter.report('I1', { before: said, after: 'pieces' });
    const sound = isSound ? frame : eventFrame({ ...frame.json, message });
    const chunk = { id: textOf(said.id), choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] };
    return [{ chunk, step: { type: 'message', frame: sound } }, ...this.#readAll(blockList(blocks, this.#reporter))];
  }

  #readDelta(frame: EventFrame): readonly Reading[] {
    const { json } = frame;
    const { stop_reason: misplaced, ...rest } = json;
    const hasDelta = isRecord(json.delta);
    if (!hasDelta) this.#reporter.report('A11', { before: json, after: { delta: {} } });
    const delta = hasDelta ? fieldsOf(json.delta) : { stop_reason: misplaced ?? null, stop_sequence: null };
    const stop = readStop(delta.stop_reason, this.#reporter);
    const usage = this.#soundUsage(json.usage, ['output_tokens']);
    this.#hasUsage ||= isRecord(json.usage);
    const reason = stop?.reason ?? null;
    const isSound = hasDelta && usage === json.usage && (reason ?? undefined) === (delta.stop_reason ?? undefined);
    const sound = isSound ? frame : eventFrame({ ...rest, delta: { ...delta, stop_reason: reason }, usage });
    if (stop === null) return [{ chunk: SILENT_CHUNK, step: { type: 'other', frame: sound } }];
    // The repair must not take an answer for whole that a stop word or the server's own tools may have cut.
    const isCut = stop.finish === 'stop' && stop.reason !== 'end_turn';
    const choice = { index: 0, delta: {}, finish_reason: stop.finish, event: sound.json };
    const chunk = { choices: [isCut ? { ...choice, stop_reason: stop.reason } : choice] };
    return [...this.blocks.settle(), { chunk, step: { type: 'finish', frame: sound } }];
  }

  #readEnd(frame: EventFrame): readonly Reading[] {
    const { usage, ...rest } = frame.json;
    const isMisplaced = isRecord(usage) && !this.#hasUsage;
    if (isMisplaced) this.#reporter.report('F15', { before: frame.json, after: { type: 'message_delta', usage } });
    const sound = isMisplaced ? eventFrame(rest) : frame;
    const counted = isMisplaced ? messageUsage(usage, ['output_tokens']) : undefined;
    return [...this.blocks.settle(), { chunk: END_MARK, step: { type: 'end', frame: sound, usage: counted } }];
  }

  /** Returns a usage that every client can read (H8). */
  #soundUsage(usage: unknown, counts: readonly string[]): Fields {
    const sound = messageUsage(usage, counts);
    if (sound !== usage) this.#reporter.report('H8', { before: usage ?? null, after: sound });
    return sound;
  }

  #unwrapped(value: Fields): Fields | undefined {
    const body = isSet(value.type) ? undefined : wrappedMessage(value);
    if (body !== undefined) this.#reporter.report('F12', { before: value, after: body });
    return body;
  }

  #readBody(body: Fields): readonly Reading[] {
    this.#reporter.report('F13', { before: body, after: 'a stream' });
    return this.#readAll(eventsOf(body, this.#reporter));
  }

  #readAll(events: readonly Fields[]): readonly Reading[] {
    return events.flatMap((event) => this.#readEvent(eventFrame(event)));
  }
}

/** Types of the events that only a message has which has begun. */
const PARTS: ReadonlySet<unknown> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

function blockList(blocks: readonly Fields[], reporter: RepairReporter): Fields[] {
  return blocks.flatMap((block, index) => blockEvents(block, index, reporter));
}
