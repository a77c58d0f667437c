import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf } from '../field-values.ts';
import { isCallItem } from './call-items.ts';
import { type EventFrame, eventFrame, madeEventFrame } from './event-frame.ts';
import { itemEvents } from './made-items.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Returns the events in a value without an event type. */
export function eventsOf(value: Fields, frame: Frame, response: ResponsesRepairState): readonly EventFrame[] {
  const { reporter } = response;
  const { data } = value;
  if (isRecord(data) && (isEventType(data.type) || isBody(data))) {
    reporter.report('F12', { before: value, after: data });
    const inner = madeEventFrame(data, frame.event);
    return isEventType(data.type) ? [inner] : eventsOf(data, inner, response);
  }
  if (isBody(value)) {
    reporter.report('F13', { before: value, after: 'the events of a stream' });
    return bodyEvents(withStatus(value, response)).map((event) => madeEventFrame(event));
  }
  if (isEventType(frame.event)) {
    reporter.report('H9', { before: 'no type', after: frame.event });
    return [madeEventFrame({ type: frame.event, ...value })];
  }
  if (value.error !== undefined && value.error !== null) {
    response.bareError = value;
    return [madeEventFrame({ type: 'error', ...value })];
  }
  return [eventFrame(frame, value)];
}

/** Reports whether this is the type of an event of this protocol. */
export function isEventType(type: unknown): type is string {
  return typeof type === 'string' && (type === 'error' || type.startsWith('response.'));
}

function isBody({ object, output }: Fields): boolean {
  return object === 'response' && Array.isArray(output);
}

/** Returns a whole response with a status of this protocol (A7). */
function withStatus(body: Fields, { reporter }: ResponsesRepairState): Fields {
  if (body.status !== 'complete') return body;
  reporter.report('A7', { before: body.status, after: 'completed' });
  return { ...body, status: 'completed' };
}

/** Returns the events of a whole response (F13). */
function bodyEvents(body: Fields): readonly Fields[] {
  const begun = { ...body, status: 'in_progress', output: [], usage: null };
  const isComplete = (body.status ?? 'completed') === 'completed';
  const items = (body.output as readonly unknown[]).map(fieldsOf);
  return [
    { type: 'response.created', response: begun },
    ...items.flatMap((item, n) => itemEvents(isComplete || !isCallItem(item) ? item : notRun(item), n)),
    ending(body),
  ];
}

/**
 * Returns a call of an incomplete response, marked as incomplete. In a stream, calls that were completed before a limit
 * already run. Of a whole body no call runs yet, so no call of it counts.
 */
function notRun(call: Fields): Fields {
  return { ...call, status: 'incomplete' };
}

function ending(body: Fields): Fields {
  const { status = 'completed', error } = body;
  if (status === 'completed' || status === 'incomplete') return { type: `response.${status}`, response: body };
  const unknown = { code: null, message: `The server answered with a response that is ${String(status)}.` };
  return { type: 'response.failed', response: { ...body, error: error ?? unknown } };
}
