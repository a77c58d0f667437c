import type { ClientError } from '../edge/client-error.ts';
import { failureCode, failureStatus } from '../edge/failure-code.ts';

/** An error, as an answer or as the last event of a stream. */
export interface FailureBody {
  readonly type: 'error';
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: { readonly error_code: string };
  };
}

/** Returns the error of a request. Clients tell errors apart by status and type. */
export function errorBody({ status, code, message }: ClientError): FailureBody {
  return bodyOf(typeOf(status), code, message);
}

/** Returns the error of a response that failed. */
export function failureBody(code: string | null, message: string): FailureBody {
  return bodyOf(TYPES_OF_CODES.get(failureCode(code, message)) ?? typeOf(failureStatus(code) ?? 500), code, message);
}

function bodyOf(type: string, code: string | null, message: string): FailureBody {
  const details = code === null || code === type ? {} : { details: { error_code: code } };
  return { type: 'error', error: { type, message: worded(code, message), ...details } };
}

const TOO_LONG = 'prompt is too long';

/** Returns the message with the words by which clients recognise a request that has to be shortened. */
function worded(code: string | null, message: string): string {
  const isKnown = code !== 'context_length_exceeded' || message.toLowerCase().includes(TOO_LONG);
  return isKnown ? message : `${TOO_LONG}: ${message}`;
}

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

function typeOf(status: number): string {
  return TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Types of failures inside a stream, by the codes that all wires share. */
const TYPES_OF_CODES: ReadonlyMap<string, string> = new Map([
  ['context_length_exceeded', 'invalid_request_error'],
  ['rate_limit_exceeded', 'rate_limit_error'],
  ['insufficient_quota', 'billing_error'],
  ['usage_not_included', 'billing_error'],
  ['server_is_overloaded', 'overloaded_error'],
  ['slow_down', 'overloaded_error'],
  ['upstream_timeout', 'timeout_error'],
]);
