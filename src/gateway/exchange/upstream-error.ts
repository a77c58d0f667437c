import { ModelError, type ModelErrorCode } from '../../base/errors.ts';
import { parseErrorBody } from '../../model/error-body.ts';
import { failureError } from '../../model/errors.ts';
import type { RequestRefusal } from '../../model/exchange/request-form.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { FailureMapping } from '../../wire/edge/edge-wire.ts';
import { failureStatus, saysTooLong } from '../../wire/edge/failure-code.ts';

/**
 * Returns the error that a client gets for a failed request to the server: the server's words and its status. Its codes
 * are those of the Responses API.
 */
export function upstreamError(error: ModelError, refusal?: RequestRefusal): ClientError {
  const row = rowOf(error);
  const said = row.status < 500 && refusal !== undefined ? (parseErrorBody(refusal.body).error ?? {}) : {};
  const own = isOwnWord(row.code) ? text(said.code) : undefined;
  return new ClientError(messageOf(error, row), {
    status: row.status,
    code: own ?? row.code,
    ...(row.status === 429 && { type: row.code === 'insufficient_quota' ? row.code : 'rate_limit_error' }),
    param: text(said.param) ?? null,
    retryAfterMs: row.status === 429 ? error.retryAfterMs : undefined,
    detail: error.message,
  });
}

/** Returns the error for a failure that the server reported inside its answer. */
export function reportedFailure(failure: { readonly code: string | null; readonly message: string }): ModelError {
  const { code, message } = failure;
  const status = /^rate_?limit/i.test(code ?? '') ? 429 : failureStatus(code);
  if (status === undefined) return failureError(failure);
  if (status === 429) return failureError({ code: 'rate_limit_exceeded', message });
  if (status === 413 || (status <= 500 && saysTooLong(message)))
    return failureError({ code: 'context_length_exceeded', message });
  return new ModelError(CODES[status] ?? 'unexpected_status', message, { status, serverWords: message });
}

/** The way in which failures of servers are reported to clients of any wire. */
export const FAILURES: FailureMapping = { toModelError: reportedFailure, toClientError: upstreamError };

interface Row {
  readonly status: number;
  readonly code: string;
}

const CODES: Readonly<Record<number, ModelErrorCode>> = {
  400: 'bad_request',
  401: 'auth',
  403: 'auth',
  529: 'overloaded',
};

const ROWS: Readonly<Partial<Record<ModelErrorCode, Row>>> = {
  bad_request: { status: 400, code: 'invalid_request' },
  context_length_exceeded: { status: 400, code: 'context_length_exceeded' },
  rejected: { status: 400, code: 'invalid_prompt' },
  unreadable_reasoning: { status: 400, code: 'invalid_encrypted_content' },
  rate_limited: { status: 429, code: 'rate_limit_exceeded' },
  quota_exceeded: { status: 429, code: 'insufficient_quota' },
  usage_limit_reached: { status: 429, code: 'usage_limit_reached' },
  overloaded: { status: 503, code: 'server_is_overloaded' },
  idle_timeout: { status: 504, code: 'upstream_timeout' },
  unreachable: { status: 502, code: 'upstream_unreachable' },
  stream_broken: { status: 502, code: 'stream_closed' },
  invalid_response: { status: 502, code: 'invalid_response' },
};

/** Statuses that concern the client's request. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 402, 404, 409, 413, 415, 422]);

function rowOf({ code, status }: ModelError): Row {
  const row = ROWS[code];
  // The status of an error that came in the place of an answer says more than that there was no answer.
  if (row !== undefined && (code !== 'invalid_response' || status === undefined)) return row;
  // The code tells a key of the gateway that the server refused from a key of the client that the gateway refused.
  if (status === 401 || status === 403) return { status, code: AUTH };
  if (code === 'auth') return { status: 502, code: AUTH };
  if (status !== undefined && PASSED_ON.has(status)) {
    return { status, code: status === 404 ? 'not_found' : 'invalid_request' };
  }
  return { status: status !== undefined && status >= 500 ? status : 502, code: 'server_error' };
}

const AUTH = 'upstream_auth';

/**
 * Returns the words for the client. Our own sentences about a status name the address of the server; only the person who
 * has to change that address after a redirect needs it.
 */
function messageOf({ message, serverWords, status }: ModelError, { code }: Row): string {
  if (code === AUTH) return serverWords === undefined ? NO_KEY : withoutKeys(serverWords);
  if (serverWords !== undefined) return serverWords;
  return status === undefined || status < 400
    ? message
    : `The model server answered with status ${status} and gave no reason.`;
}

const NO_KEY =
  'The model server does not accept the credentials of the gateway. Check the key of this provider where the gateway runs.';

/** Removes parts of keys. Servers repeat a wrong key, often with asterisks in it. */
function withoutKeys(words: string): string {
  return words.replace(/\b(?:sk|pk|gsk|xai|hf|nvapi)[-_][\w*.…-]*\w|[\w-]*\*{2,}[\w*-]*/g, '[redacted]');
}

/** Reports whether our code says no more than the status, so that the server's code is better. */
function isOwnWord(code: string): boolean {
  return code === 'invalid_request' || code === 'not_found';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
