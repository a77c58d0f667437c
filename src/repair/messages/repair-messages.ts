import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { isEndMark } from '../../wire/chat/end-mark.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { frameValue, withValue } from '../../wire/framing/frames.ts';
import type { TextRun, TextRunRepair } from '../../wire/framing/text-runs.ts';
import { type BorrowedRepair, borrowRepair } from '../chat/borrow-repair.ts';
import type { RepairContext } from '../context.ts';
import { RepairReporter } from '../report.ts';
import { createTemplateFrames, type TemplateFrames } from '../template-frames.ts';
import { EventReader } from './event-reader.ts';
import { MessageWriter } from './message-writer.ts';
import type { EventReading, Step } from './step.ts';
import { STOP_REASONS } from './stop-reasons.ts';

/** Repairs the frames of one response of the Messages API. The repair of the chat wire decides about its content. */
export function repairMessages(context: RepairContext): TextRunRepair {
  const reporter = new RepairReporter(context.onRepair);
  const stream: Stream = {
    chat: borrowRepair<Step>(context, reporter, STOP_REASONS),
    reader: new EventReader(reporter, context.tools),
    writer: new MessageWriter(reporter),
    templates: createTemplateFrames({ gaps: [{ field: 'delta', inner: ['text'], type: 'text' }] }),
    reporter,
    isForeign: false,
  };
  return {
    push(frame) {
      reporter.frame++;
      const templated = stream.templates.read(frame);
      if (templated !== undefined && runsOn(stream, templated.like, templated.text)) return [templated];
      const value = templated?.json ?? frameValue(frame);
      if (!isRecord(value)) return takeData(stream, frame);
      const seen = withValue(frame, value);
      if (!isRunningText(stream, seen, value)) return repaired(stream, stream.reader.read(seen, value));
      if (templated === undefined) stream.templates.learn(frame, value);
      return [seen];
    },
    run: (text) => takeRun(stream, text),
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
  readonly templates: TemplateFrames;
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

function takeRun(stream: Stream, text: string): TextRun | undefined {
  const run = stream.templates.readRun(text);
  if (run === undefined || !runsOn(stream, run.like, run.text)) return undefined;
  stream.reporter.frame += run.count;
  return { frame: { data: '', text: run.text, stream: text.slice(0, run.end) }, end: run.end, count: run.count };
}

/**
 * Accepts a further piece of the current text, as nearly all events are, and reports whether it may go out unchanged.
 * Otherwise nothing happens.
 */
function isRunningText(stream: Stream, frame: Frame, event: Fields): boolean {
  const { type, delta } = event;
  if (type !== 'content_block_delta' || frame.event !== type || !isRecord(delta)) return false;
  return delta.type === 'text_delta' && typeof delta.text === 'string' && runsOn(stream, event, delta.text);
}

/** Does the same for text in a block with the index of an event. */
function runsOn({ chat, reader, writer }: Stream, { index }: Fields, text: string): boolean {
  const block = reader.blocks.at(index);
  return block?.kind === 'text' && writer.runs(block, index) && chat.passesText(text);
}
