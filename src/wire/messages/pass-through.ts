import { ModelError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import { redactFrame } from '../edge/redact-frame.ts';
import type { Translator } from '../edge/translator.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue, madeFrame } from '../framing/frames.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { errorBody } from './error-body.ts';
import { errorOf, isWholeMessage } from './inspect.ts';
import { mergeUsage, readUsage } from './usage-fields.ts';
import { withModel } from './with-model.ts';

export function passThrough(options: PassOptions): Translator {
  const response: OpenResponse = {
    options,
    spoke: false,
    over: false,
    failure: undefined,
    finished: undefined,
    counts: undefined,
    stopped: false,
    usage: null,
    push(frame: RunningFrame, out) {
      if (response.over) return;
      if (frame.text !== undefined && response.spoke) out.push(frame);
      else take(frame, response, out);
    },
    settle() {},
    end: (out, broken) => takeEnd(broken, response, out),
  };
  return response;
}

interface OpenResponse extends Translator {
  readonly options: PassOptions;
  spoke: boolean;
  over: boolean;
  failure: ModelError | undefined;
  usage: Usage | null;
  /** Usage so far, as the server counts. */
  counts: Fields | undefined;
  /** Whether the reason has come why the model stopped. */
  stopped: boolean;
}

function take(frame: Frame, response: OpenResponse, out: Frame[]): void {
  const event = frameValue(frame);
  if (!isRecord(event)) return;
  if (event.type === 'content_block_delta') {
    // Fast path: nearly all events have this type.
    response.spoke = true;
    out.push(frame);
    return;
  }
  const error = errorOf(event);
  if (error !== undefined) {
    takeError(frame, event, error, response, out);
    return;
  }
  const { usage, stop_reason } = fieldsOf(event.message ?? (isWholeMessage(event) ? event : event.delta));
  response.counts = mergeUsage(mergeUsage(response.counts, usage), event.usage);
  response.usage = readUsage(response.counts);
  response.stopped ||= wordOf(stop_reason) !== undefined;
  response.spoke ||= response.stopped || event.type === 'content_block_start';
  response.over = event.type === 'message_stop' || isWholeMessage(event);
  out.push(named(frame, event, response.options));
}

/** Returns the frame with the name of the model that the client asked for. */
function named(frame: Frame, event: Fields, { renamedModel }: PassOptions): Frame {
  const value = renamedModel === undefined ? event : withModel(event, renamedModel);
  return value === event ? frame : madeFrame(value, frame.event);
}

function takeError(
  frame: Frame,
  event: Fields,
  { code, message }: NonNullable<ReturnType<typeof errorOf>>,
  response: OpenResponse,
  out: Frame[],
): void {
  const { redact, failures } = response.options;
  const failure = failures.toModelError({ code, message: redact(message) });
  const { type, message: said } = fieldsOf(event.error);
  const isShaped = frame.event === 'error' && event.type === 'error' && isText(type) && isText(said);
  fail(failure, redactFrame(isShaped ? frame : errorFrame(failure, response), redact), response, out);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function takeEnd(broken: ModelError | undefined, response: OpenResponse, out: Frame[]): void {
  if (broken !== undefined && response.failure?.code === 'stream_broken') {
    // The frame made by the repair says less than the error of the connection.
    out.pop();
    fail(broken, errorFrame(broken, response), response, out);
  }
  if (response.over) return;
  if (response.stopped) {
    response.over = true;
    out.push(madeFrame({ type: 'message_stop' }, 'message_stop'));
    return;
  }
  const error = broken ?? new ModelError('stream_broken', 'The server ended the connection without an answer.');
  fail(error, errorFrame(error, response), response, out);
}

function fail(error: ModelError, frame: Frame, response: OpenResponse, out: Frame[]): void {
  response.failure = error;
  response.over = true;
  out.push(frame);
}

/** Returns an error in the shape that clients know. They look for the name of the event. */
function errorFrame(error: ModelError, { options }: OpenResponse): Frame {
  return madeFrame(errorBody(options.failures.toClientError(error)), 'error');
}
