import { isRecord } from '../../base/json-schema.ts';
import { SILENT_CHUNK } from '../chat/borrow-repair.ts';
import { fieldsOf } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';
import { soundUsage } from './message-usage.ts';
import { type EventReading, eventFrame, type MessageFrame } from './step.ts';
import { type ReadStop, readStop } from './stop-reasons.ts';

/** Reads the event with the stop reason and the usage of a message (A7, A11, H8). */
export function readMessageDelta(frame: MessageFrame, reporter: RepairReporter): EventReading {
  const { json } = frame;
  const { stop_reason: misplaced, ...rest } = json;
  const hasDelta = isRecord(json.delta);
  if (!hasDelta) reporter.report('A11', { before: json, after: { delta: {} } });
  const delta = hasDelta ? fieldsOf(json.delta) : { stop_reason: misplaced ?? null, stop_sequence: null };
  const stop = readStop(delta.stop_reason, reporter);
  const usage = soundUsage(json.usage, ['output_tokens'], reporter);
  const reason = stop?.reason ?? null;
  const isSound = hasDelta && usage === json.usage && (delta.stop_reason ?? null) === reason;
  const sound = isSound ? frame : eventFrame({ ...rest, delta: { ...delta, stop_reason: reason }, usage });
  return stop === null ? { chunk: SILENT_CHUNK, step: { type: 'other', frame: sound } } : finishReading(sound, stop);
}

function finishReading(frame: MessageFrame, { finish, reason }: ReadStop): EventReading {
  // The repair must not take an answer for whole that a stop word or the server's own tools may have cut.
  const isCut = finish === 'stop' && reason !== 'end_turn';
  const choice = { index: 0, delta: {}, finish_reason: finish, event: frame.json };
  return {
    chunk: { choices: [isCut ? { ...choice, stop_reason: reason } : choice] },
    step: { type: 'finish', frame },
  };
}
