import { isRecord } from '../../base/json-schema.ts';
import type { Frame, StreamRepair } from '../../base/wire.ts';
import { isEndMark } from '../../wire/chat/end-mark.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { frameValue, withValue } from '../../wire/framing/frames.ts';
import { type BorrowedRepair, borrowRepair } from '../chat/borrow-repair.ts';
import type { RepairContext } from '../context.ts';
import { isSet } from '../field-values.ts';
import { RepairReporter } from '../report.ts';
import { createTemplateFrames, type TemplateShape } from '../template-frames.ts';
import { DONE_REASONS } from './done-reasons.ts';
import { OWN_ID } from './line-calls.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';
import type { LineReading, LineStep } from './step.ts';

/** Repairs the lines of one answer of Ollama's protocol. The repair of the chat wire decides about its content. */
export function repairOllama(context: RepairContext): StreamRepair {
  const { onRepair } = context;
  const report: RepairContext['onRepair'] = (repair) =>
    onRepair(repair.callId?.startsWith(OWN_ID) ? { ...repair, callId: null } : repair);
  const reporter = new RepairReporter(report);
  const stream: Stream = {
    chat: borrowRepair<LineStep>(Object.assign({}, context, { onRepair: report }), reporter, DONE_REASONS),
    reader: new LineReader(reporter),
    writer: new LineWriter(reporter),
    reporter,
    isForeign: false,
  };
  const templates = createTemplateFrames(TEXT_LINES);
  return {
    push(frame) {
      reporter.frame++;
      const templated = templates.read(frame);
      if (templated !== undefined && runsOn(stream, templated.text)) return [templated];
      const value = templated?.json ?? frameValue(frame);
      if (!isRecord(value)) return takeData(stream, frame);
      const seen = withValue(frame, value);
      if (!isRunningText(stream, value)) return repaired(stream, stream.reader.read(seen, value));
      if (templated === undefined) templates.learn(frame, value);
      return [seen];
    },
    isGivenUp: () => stream.chat.isGivenUp() || stream.isForeign,
    end() {
      const { chat, reader, writer } = stream;
      if (refuseForeign(stream)) return writer.take();
      take(stream, reader.end());
      for (const outcome of chat.end()) writer.write(outcome);
      return writer.take();
    },
  };
}

/** Values in which lines of a text differ. */
const TEXT_LINES: TemplateShape = {
  gaps: [
    { field: 'message', inner: ['content'], type: 'text' },
    { field: 'created_at', inner: [], type: 'text' },
  ],
};

interface Stream {
  readonly chat: BorrowedRepair<LineStep>;
  readonly reader: LineReader;
  readonly writer: LineWriter;
  readonly reporter: RepairReporter;
  /** Whether the server spoke another protocol. */
  isForeign: boolean;
}

/** Reads data that is not a JSON object. */
function takeData(stream: Stream, frame: Frame): readonly Frame[] {
  if (isEndMark(frame) && refuseForeign(stream)) return stream.writer.take();
  return repaired(stream, stream.reader.readData(frame.data));
}

/** Ends a response of another protocol with a sentence about it. */
function refuseForeign(stream: Stream): boolean {
  const { reader, writer, reporter } = stream;
  if (reader.foreign === undefined || stream.isForeign) return stream.isForeign;
  stream.isForeign = true;
  reporter.report('A6', { before: 'no line of an answer', after: 'an error' });
  writer.fail('invalid_response', reader.foreign);
  return true;
}

function repaired(stream: Stream, readings: readonly LineReading[]): readonly Frame[] {
  take(stream, readings);
  return stream.writer.take();
}

function take({ chat, writer }: Stream, readings: readonly LineReading[]): void {
  for (const { chunk, step } of readings) for (const outcome of chat.push(chunk, step)) writer.write(outcome);
}

/**
 * Accepts a line that only continues the text, as nearly all lines do, and reports whether it may go out unchanged.
 * Otherwise nothing happens.
 */
function isRunningText(stream: Stream, { message, done, error, done_reason }: Fields): boolean {
  if (!isRecord(message) || done === true || isSet(done_reason) || error !== undefined) return false;
  const { content, thinking, tool_calls, reasoning, reasoning_content } = message;
  if (thinking || isSet(tool_calls) || isSet(reasoning) || isSet(reasoning_content)) return false;
  return typeof content === 'string' && runsOn(stream, content);
}

/** Does the same for the text of a line that has nothing else. */
function runsOn({ chat, reader, writer }: Stream, text: string): boolean {
  return reader.isSettled && writer.runs && chat.passesText(text);
}
