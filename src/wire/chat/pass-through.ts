import { ModelError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import type { Frame } from '../../base/wire.ts';
import { plainErrorBody } from '../edge/client-error.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import { readFailure } from '../edge/read-failure.ts';
import { redactFrame } from '../edge/redact-frame.ts';
import type { Translator } from '../edge/translator.ts';
import { mapEntries } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue, madeFrame } from '../framing/frames.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { END_MARK, isEndMark } from './end-mark.ts';
import { errorOf, isFinished, saysSomething } from './inspect.ts';
import { extensionUsage, readUsage } from './usage-fields.ts';

export function passThrough(options: PassOptions): Translator {
  const response: OpenResponse = {
    options,
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    finished: undefined,
    hasFinish: false,
    begun: new Set(),
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
  /** Whether a finish signal has come. */
  hasFinish: boolean;
  /** Numbers of the choices of which a delta has come. */
  readonly begun: Set<unknown>;
}

function take(frame: Frame, response: OpenResponse, out: Frame[]): void {
  const chunk = frameValue(frame);
  if (isRecord(chunk)) {
    const error = errorOf(chunk);
    if (error === undefined) takeChunk(frame, chunk, response, out);
    else takeError(frame, chunk, error, response, out);
  } else if (isEndMark(frame)) {
    if (response.hasFinish) {
      response.over = true;
      out.push(frame);
    } else fail(NO_ANSWER, errorFrame(NO_ANSWER, response), response, out);
  }
}

const NO_ANSWER = new ModelError(
  'invalid_response',
  'The server ended the response without sending any answer. Try again.',
);

function takeError(frame: Frame, chunk: Fields, error: unknown, response: OpenResponse, out: Frame[]): void {
  const { redact, failures } = response.options;
  const { code, message } = readFailure(error);
  const failure = failures.toModelError({ code, message: redact(message) });
  fail(failure, redactFrame(shapedError(frame, chunk, failure, response), redact), response, out);
}

function takeChunk(frame: Frame, chunk: Fields, response: OpenResponse, out: Frame[]): void {
  const usage = isRecord(chunk.usage) ? readUsage(chunk.usage) : null;
  response.usage = usage ?? response.usage;
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  response.hasFinish ||= choices.some(isFinished);
  if (response.hasFinish) response.usage ??= extensionUsage(chunk);
  if (choices.length === 0 && usage !== null && !response.options.includeUsage) return;
  response.spoke ||= choices.some(saysSomething);
  out.push(withRoles(frame, chunk, choices, response));
}

/** Returns the frame with a role in the first delta of each choice. Clients rely on it, and some servers send none. */
function withRoles(frame: Frame, chunk: Fields, choices: readonly unknown[], { begun }: OpenResponse): Frame {
  if (choices.every((choice) => begun.has(fieldsOf(choice).index))) return frame;
  const edited = mapEntries(choices, (choice) => {
    if (!isRecord(choice) || !isRecord(choice.delta) || begun.has(choice.index)) return choice;
    begun.add(choice.index);
    return choice.delta.role ? choice : { ...choice, delta: { ...choice.delta, role: 'assistant' } };
  });
  return edited === choices ? frame : madeFrame({ ...chunk, choices: edited });
}

function takeEnd(broken: ModelError | undefined, response: OpenResponse, out: Frame[]): void {
  if (broken !== undefined && response.failure?.code === 'stream_broken') {
    // The frame made by the repair says less than the error of the connection.
    out.pop();
    fail(broken, errorFrame(broken, response), response, out);
  }
  if (response.over) return;
  if (response.hasFinish) {
    response.over = true;
    out.push({ data: END_MARK });
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

function errorFrame(error: ModelError, { options }: OpenResponse): Frame {
  return { data: JSON.stringify(plainErrorBody(options.failures.toClientError(error))) };
}

/** Returns an error in the shape that clients know: unchanged if it has that shape, else with the missing fields. */
function shapedError(frame: Frame, chunk: Fields, failure: ModelError, { options }: OpenResponse): Frame {
  const said = fieldsOf(chunk.error);
  const isShaped = typeof said.message === 'string' && typeof said.type === 'string';
  if (isShaped) return frame;
  return madeFrame({ ...chunk, error: { ...said, ...plainErrorBody(options.failures.toClientError(failure)).error } });
}
