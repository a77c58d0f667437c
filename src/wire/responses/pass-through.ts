import { ModelError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import { readFailure } from '../edge/read-failure.ts';
import { redactFrame } from '../edge/redact-frame.ts';
import type { FinishedResponse, Translator } from '../edge/translator.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue, madeFrame } from '../framing/frames.ts';
import { isBeginning } from './inspect.ts';
import { responseObject } from './response-object.ts';
import { finishedIn } from './stored.ts';
import { createStrictEvents, type StrictEvents } from './strict-events.ts';
import { readUsage } from './usage-fields.ts';

export function passThrough(options: PassOptions): Translator {
  const response: OpenResponse = {
    options,
    events: createStrictEvents(options),
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    finished: undefined,
    announced: {},
    push(frame, out) {
      if (response.over) return;
      const event = frameValue(frame);
      if (!isRecord(event)) out.push(frame);
      // Values without a type belong to another protocol.
      else if (typeof event.type === 'string') {
        const next = response.events.next(event, frame, out);
        take(next === frame ? event : (next.json as Fields), next, response, out);
      }
    },
    settle(out) {
      // An error event does not end a response for clients: they wait for the response itself to fail.
      if (response.failure !== undefined && !response.over) fail(response.failure, response, out);
    },
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
  finished: FinishedResponse | undefined;
  /** Response as it was announced. */
  announced: Fields;
  readonly events: StrictEvents;
}

function take(event: Fields, frame: Frame, response: OpenResponse, out: Frame[]): void {
  switch (event.type) {
    case 'response.completed':
    case 'response.incomplete':
      finish(fieldsOf(event.response), response);
      break;
    case 'response.failed':
      takeFailure(fieldsOf(event.response).error, response);
      response.over = true;
      break;
    case 'error':
      takeFailure(event.error ?? event, response);
      break;
    case 'response.created':
      if (isRecord(event.response)) response.announced = event.response;
      break;
  }
  response.spoke ||= response.failure === undefined && !isBeginning(event);
  out.push(response.failure === undefined ? frame : redactFrame(frame, response.options.redact));
}

function takeEnd(broken: ModelError | undefined, response: OpenResponse, out: Frame[]): void {
  if (broken !== undefined && response.failure?.code === 'stream_broken') {
    // The frame made by the repair says less than the error of the connection.
    out.pop();
    fail(broken, response, out);
  }
  if (response.over) return;
  const closed = new ModelError('stream_broken', 'The server ended the connection without an answer.');
  fail(response.failure ?? broken ?? closed, response, out);
}

function finish(body: Fields, response: OpenResponse): void {
  response.usage = readUsage(body.usage);
  response.over = true;
  if (response.options.store) response.finished = finishedIn(body);
}

function takeFailure(error: unknown, response: OpenResponse): void {
  const { failures, redact } = response.options;
  const { code, message } = readFailure(error);
  const next = failures.toModelError({ code, message: redact(message) });
  // A failure may be reported twice. The report without a code is the poorer one.
  if (response.failure === undefined || code !== null) response.failure = next;
}

function fail(error: ModelError, response: OpenResponse, out: Frame[]): void {
  response.failure = error;
  response.over = true;
  const { options, announced } = response;
  const { code, message } = options.failures.toClientError(error);
  const begun = responseObject(options.responseId, 'failed', options.encoding);
  const body = { ...begun, ...announced, status: 'failed', error: { code, message } };
  const type = 'response.failed';
  out.push(madeFrame({ type, sequence_number: response.events.sequence() + 1, response: body }, type));
}
