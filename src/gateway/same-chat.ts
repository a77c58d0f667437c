import { ModelError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { Usage } from '../base/usage.ts';
import type { Frame } from '../base/wire.ts';
import { readUsage } from '../wire/chat/usage-fields.ts';
import { frameValue, madeFrame } from '../wire/frames.ts';
import type { Fields } from '../wire/request-fields.ts';
import { redactedFrame } from './redacted-frame.ts';
import type { Translator } from './translator.ts';
import { failureIn, reportedFailure, upstreamError } from './upstream-error.ts';

export interface SameChatOptions {
  readonly includeUsage: boolean;
  readonly redact: (text: string) => string;
}

/** Passes the frames of a chat server on to a chat client. */
export function sameChat({ includeUsage, redact }: SameChatOptions): Translator {
  const response: OpenResponse = {
    includeUsage,
    redact,
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    outcome: undefined,
    finished: false,
    push(frame, out) {
      if (response.over) return;
      if (frame.text !== undefined && response.spoke) out.push(frame);
      else take(frame, response, out);
    },
    settle() {},
    end: (out, broken) => takeEnd(broken, response, out),
  };
  return response;
}

interface OpenResponse extends SameChatOptions, Translator {
  spoke: boolean;
  over: boolean;
  failure: ModelError | undefined;
  usage: Usage | null;
  /** A finish signal has come. */
  finished: boolean;
}

function take(frame: Frame, response: OpenResponse, out: Frame[]): void {
  const chunk = frameValue(frame);
  if (isRecord(chunk)) {
    const error = errorOf(chunk);
    if (error === undefined) takeChunk(frame, chunk, response, out);
    else {
      const { code, message } = failureIn(error);
      const failure = reportedFailure({ code, message: response.redact(message) });
      fail(failure, redactedFrame(shapedError(frame, chunk, failure), response.redact), response, out);
    }
  } else if (frame.data.trim() === END_MARK) {
    if (response.finished) {
      response.over = true;
      out.push(frame);
    } else fail(NO_ANSWER, errorFrame(NO_ANSWER), response, out);
  }
}

const END_MARK = '[DONE]';
const NO_ANSWER = new ModelError(
  'invalid_response',
  'The server ended the response without sending any answer. Try again.',
);

function takeChunk(frame: Frame, chunk: Fields, response: OpenResponse, out: Frame[]): void {
  const usage = isRecord(chunk.usage) ? readUsage(chunk.usage) : null;
  response.usage = usage ?? response.usage;
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  response.finished ||= choices.some(isFinished);
  if (choices.length === 0 && usage !== null && !response.includeUsage) return;
  response.spoke ||= choices.some(saysSomething);
  out.push(frame);
}

function takeEnd(broken: ModelError | undefined, response: OpenResponse, out: Frame[]): void {
  if (broken !== undefined && response.failure?.code === 'stream_broken') {
    // The frame that the repair made says less than the connection did.
    out.pop();
    fail(broken, errorFrame(broken), response, out);
  }
  if (response.over) return;
  if (response.finished) {
    response.over = true;
    out.push({ data: END_MARK });
    return;
  }
  const error = broken ?? new ModelError('stream_broken', 'The server ended the connection without an answer.');
  fail(error, errorFrame(error), response, out);
}

function fail(error: ModelError, frame: Frame, response: OpenResponse, out: Frame[]): void {
  response.failure = error;
  response.over = true;
  out.push(frame);
}

function errorFrame(error: ModelError): Frame {
  return { data: JSON.stringify(upstreamError(error).body) };
}

/** An error in the shape that clients know: as it came where it has it, else with what is missing. */
function shapedError(frame: Frame, chunk: Fields, failure: ModelError): Frame {
  const said = isRecord(chunk.error) ? chunk.error : {};
  const isShaped = typeof said.message === 'string' && typeof said.type === 'string';
  return isShaped ? frame : madeFrame({ ...chunk, error: { ...said, ...upstreamError(failure).body.error } });
}

function errorOf(chunk: Fields): unknown {
  if (chunk.error !== undefined && chunk.error !== null) return chunk.error;
  const choice = Array.isArray(chunk.choices) ? chunk.choices.find(isRecord) : undefined;
  return choice?.finish_reason === 'error'
    ? (choice.error ?? 'The server ended the response with an error.')
    : undefined;
}

function isFinished(choice: unknown): boolean {
  return isRecord(choice) && typeof choice.finish_reason === 'string' && choice.finish_reason !== '';
}

/** The first chunk often names the role and nothing else. */
function saysSomething(choice: unknown): boolean {
  if (isFinished(choice)) return true;
  const delta = isRecord(choice) ? choice.delta : undefined;
  return (
    isRecord(delta) &&
    // Most often it is that field.
    ((typeof delta.content === 'string' && delta.content !== '') ||
      Object.entries(delta).some(
        ([name, value]) => name !== 'role' && value !== null && value !== '' && !isEmpty(value),
      ))
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
