import { ModelError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import { redactFrame } from '../edge/redact-frame.ts';
import type { Translator } from '../edge/translator.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { errorText } from './encode-stream.ts';
import { failureIn, saysSomething } from './inspect.ts';
import { readUsage } from './usage-fields.ts';

export function passThrough(options: PassOptions): Translator {
  const response: OpenResponse = {
    options,
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    finished: undefined,
    push(frame, out) {
      const line = response.over ? undefined : frameValue(frame);
      // Clients parse every line.
      if (isRecord(line)) take(line, frame, response, out);
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
}

function take(line: Fields, frame: Frame, response: OpenResponse, out: Frame[]): void {
  const failure = failureIn(line);
  if (failure === undefined) takeLine(line, frame, response, out);
  else {
    const { redact, failures } = response.options;
    const error = failures.toModelError({ code: failure.code, message: redact(failure.message) });
    const shaped = typeof line.error === 'string' ? frame : errorFrame(error, response);
    fail(error, redactFrame(shaped, redact), response, out);
  }
}

function takeLine(line: Fields, frame: Frame, response: OpenResponse, out: Frame[]): void {
  if (line.done === true) {
    response.usage = readUsage(line);
    response.over = true;
  }
  response.spoke ||= response.over || saysSomething(line);
  out.push(frame);
}

function takeEnd(broken: ModelError | undefined, response: OpenResponse, out: Frame[]): void {
  if (broken !== undefined && response.failure?.code === 'stream_broken') {
    // The frame made by the repair says less than the error of the connection.
    out.pop();
    fail(broken, errorFrame(broken, response), response, out);
  }
  if (response.over) return;
  const error = broken ?? new ModelError('stream_broken', 'The server ended the connection without an answer.');
  fail(error, errorFrame(error, response), response, out);
}

function fail(error: ModelError, frame: Frame, response: OpenResponse, out: Frame[]): void {
  response.failure = error;
  response.over = true;
  out.push(frame);
}

function errorFrame(error: ModelError, { options }: OpenResponse): Frame {
  return { data: errorText(options.failures.toClientError(error)) };
}
