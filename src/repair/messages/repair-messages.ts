import { isRecord } from '../../base/json-schema.ts';
import type { Frame, StreamRepair } from '../../base/wire.ts';
import { isEndMark } from '../../wire/chat/end-mark.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { frameValue, withValue } from '../../wire/framing/frames.ts';
import { type BorrowedRepair, borrowRepair } from '../chat/borrow-repair.ts';
import type { RepairContext } from '../context.ts';
import { RepairReporter } from '../report.ts';
import { EventReader } from './event-reader.ts';
import { MessageWriter } from './message-writer.ts';
import type { EventReading, Step } from './step.ts';
import { STOP_REASONS } from './stop-reasons.ts';

/** Repairs the frames of one response of the Messages API. The repair of the chat wire decides about its content. */
export function repairMessages(context: RepairContext): StreamRepair {
  const reporter = new RepairReporter(context.onRepair);
  const stream: Stream = {
    chat: borrowRepair<Step>(context, reporter, STOP_REASONS),
    reader: new EventReader(reporter, context.tools),
    writer: new MessageWriter(reporter),
    reporter,
    isForeign: false,
  };
  return {
    push(frame) {
      reporter.frame++;
      const value = frameValue(frame);
      if (!isRecord(value)) return takeData(stream, frame);
      const seen = withValue(frame, value);
      return isRunningText(stream, seen, value) ? [seen] : repaired(stream, stream.reader.read(seen, value));
    },
    isGivenUp: () => stream.chat.isGivenUp() || stream.isForeign,
    isStopped: () => stream.reader.isStopped,
    end() {
      const { chat, reader, writer } = stream;
      if (refuseForeign(stream)) return writer.take();
      take(stream, reader.end());
      for (const outcome of chat.end()) writer.write(outcome);
      return writer.end();
    },
  };
}

interface Stream {
  readonly chat: BorrowedRepair<Step>;
  readonly reader: EventReader;
  readonly writer: MessageWriter;
  readonly reporter: RepairReporter;
  /** Whether the server spoke another protocol. */
  isForeign: boolean;
}

/** Reads data that is not a JSON object. */
function takeData(stream: Stream, frame: Frame): readonly Frame[] {
  if (isEndMark(frame) && refuseForeign(stream)) return stream.writer.take();
  return repaired(stream, stream.reader.readData(frame));
}

/** Ends a response of another protocol with a sentence about it. */
function refuseForeign(stream: Stream): boolean {
  const { reader, writer, reporter } = stream;
  if (reader.foreign === undefined || stream.isForeign) return stream.isForeign;
  stream.isForeign = true;
  reporter.report('A6', { before: 'no event of a message', after: 'an error' });
  writer.fail('invalid_response', reader.foreign);
  return true;
}

function repaired(stream: Stream, readings: readonly EventReading[]): readonly Frame[] {
  take(stream, readings);
  return stream.writer.take();
}

function take({ chat, writer }: Stream, readings: readonly EventReading[]): void {
  for (const { chunk, step } of readings) for (const outcome of chat.push(chunk, step)) writer.write(outcome);
}

/**
 * Accepts a further piece of the current text, as nearly all events are, and reports whether it may go out unchanged.
 * Otherwise nothing happens.
 */
function isRunningText({ chat, reader, writer }: Stream, frame: Frame, { type, index, delta }: Fields): boolean {
  if (type !== 'content_block_delta' || frame.event !== type || !isRecord(delta)) return false;
  const block = reader.blocks.at(index);
  if (block?.kind !== 'text' || !writer.runs(block, index)) return false;
  const { text } = delta;
  return delta.type === 'text_delta' && typeof text === 'string' && chat.passesText(text);
}
