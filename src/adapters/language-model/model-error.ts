import { ModelError, messageOf } from '../../base/errors.ts';
import { failureError, statusError, tooLongFailure } from '../../model/errors.ts';
import { readFailure } from '../../wire/edge/read-failure.ts';
import { fieldsOf, wordOf } from '../../wire/fields/lenient-fields.ts';

/** Errors of the SDK about a request that no attempt can make better, by their names. */
const REFUSED: ReadonlyMap<unknown, 'auth' | 'bad_request'> = new Map([
  ['AI_LoadAPIKeyError', 'auth'],
  ['AI_LoadSettingError', 'bad_request'],
  ['AI_InvalidArgumentError', 'bad_request'],
  ['AI_InvalidPromptError', 'bad_request'],
  ['AI_NoSuchModelError', 'bad_request'],
  ['AI_UnsupportedFunctionalityError', 'bad_request'],
]);

/** Returns the error for something that a language model threw or reported in its stream. */
export function modelErrorOf(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { name, statusCode, isRetryable, responseHeaders, responseBody, url } = fieldsOf(error);
  const message = messageOf(error);
  if (typeof statusCode === 'number') {
    return statusError({
      status: statusCode,
      headers: headersOf(responseHeaders),
      body: wordOf(responseBody) ?? message,
      url: wordOf(url) ?? '',
      now: Date.now(),
      redact: (text) => text,
    });
  }
  const refused = REFUSED.get(name);
  if (refused) return new ModelError(refused, message, { cause: error });
  if (!(error instanceof Error)) return failureError(readFailure(error));
  const tooLong = tooLongFailure(message);
  if (tooLong) return tooLong;
  // An error of a call without a status: no answer came.
  if (typeof isRetryable === 'boolean') {
    return new ModelError('unreachable', `The model cannot be reached: ${message}`, {
      retryable: isRetryable,
      cause: error,
    });
  }
  return new ModelError('stream_broken', `stream disconnected before completion: ${message}`, {
    retryable: true,
    cause: error,
  });
}

function headersOf(value: unknown): Record<string, string> {
  const entries = Object.entries(fieldsOf(value)).map(([name, text]) => [name.toLowerCase(), String(text)]);
  return Object.fromEntries(entries);
}
