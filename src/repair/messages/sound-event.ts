import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, isSet, wordOf } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';
import { eventFrame, type MessageFrame } from './step.ts';

/**
 * Returns the event of a frame in the form in which clients know it: with its type, the name of the event (I8), and an
 * error in the shape of an error (F10).
 */
export function soundEvent(frame: Frame, value: Fields, reporter: RepairReporter): MessageFrame {
  const error = readError(frame, value);
  if (error !== undefined) return soundError(frame, value, error, reporter);
  const type = wordOf(value.type) ?? missingType(frame, value);
  if (type === undefined) return { ...frame, json: value };
  if (type !== value.type) {
    const json = { type, ...value };
    reporter.report('B12', { before: value, after: json });
    return eventFrame({ ...json, type });
  }
  if (frame.event === type) return { event: type, data: frame.data, json: value };
  if (EVENTS.has(type)) reporter.report('I8', { before: frame.event ?? 'no name', after: type });
  return { event: type, data: frame.data, json: value };
}

/** Types of the events of a message. */
const EVENTS: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
]);

/** Returns the type of an event without one. */
function missingType({ event }: Frame, value: Fields): string | undefined {
  if (event !== undefined && EVENTS.has(event)) return event;
  if (isRecord(value.content_block)) return 'content_block_start';
  if (!isRecord(value.delta) || isSet(value.choices)) return undefined;
  return 'stop_reason' in value.delta ? 'message_delta' : 'content_block_delta';
}

/** Returns the error that a frame reports, in any shape. */
function readError({ event }: Frame, value: Fields): unknown {
  if (isSet(value.error)) return value.error;
  return event === 'error' || value.type === 'error' ? value : undefined;
}

function soundError(frame: Frame, value: Fields, error: unknown, reporter: RepairReporter): MessageFrame {
  const { type, message } = fieldsOf(error);
  const isSound = value.type === 'error' && value.error === error && wordOf(type) && typeof message === 'string';
  if (isSound && frame.event === 'error') return { event: 'error', data: frame.data, json: value };
  const json = isSound ? value : { type: 'error', error: errorFields(error) };
  reporter.report('F10', { before: value, after: json });
  return isSound ? { event: 'error', data: frame.data, json } : eventFrame(json);
}

/** Returns an error with the fields that clients read. */
export function errorFields(error: unknown): Fields {
  if (!isRecord(error)) return { type: 'api_error', message: typeof error === 'string' ? error : UNNAMED };
  const { type, message, ...rest } = error;
  const kind = type === 'error' ? undefined : wordOf(type);
  return { type: kind ?? 'api_error', message: wordOf(message) ?? wordOf(rest.detail) ?? UNNAMED, ...rest };
}

const UNNAMED = 'The server reported a failure and did not say which.';
