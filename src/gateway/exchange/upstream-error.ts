import { ModelError, type ModelErrorCode } from '../../base/errors.ts';
import { parseErrorBody } from '../../model/error-body.ts';
import { failureError } from '../../model/errors.ts';
import type { RequestRefusal } from '../../model/exchange/request-form.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { FailureMapping } from '../../wire/edge/edge-wire.ts';

/**
 * Returns the error that a client gets for a failed request to the server. Its codes are those of the Responses API.
 */
export function upstreamError(error: ModelError, refusal?: RequestRefusal): ClientError {
  const { status } = error;
  if (error.code === 'auth' || status === 401 || status === 403) {
    return new ClientError(AUTH, { status: 502, code: 'upstream_auth', detail: error.message });
  }
  const row = ROWS[error.code];
  if (row !== undefined) return clientError(error, row, refusal);
  if (status !== undefined && PASSED_ON.has(status)) {
    return clientError(error, { status, code: status === 404 ? 'not_found' : 'invalid_request' }, refusal);
  }
  return clientError(error, { status: status !== undefined && status >= 500 ? status : 502, code: 'server_error' });
}

/** Returns the error for a failure that the server reported inside its answer. */
export function reportedFailure(failure: { readonly code: string | null; readonly message: string }): ModelError {
  const status = /^[45]\d\d$/.test(failure.code ?? '') ? Number(failure.code) : undefined;
  if (status === undefined) {
    const limited = /^rate_?limit/i.test(failure.code ?? '') || failure.code === 'too_many_requests';
    return failureError(limited ? { ...failure, code: 'rate_limit_exceeded' } : failure);
  }
  if (status === 429) return failureError({ ...failure, code: 'rate_limit_exceeded' });
  return new ModelError(CODES[status] ?? 'unexpected_status', failure.message, { status });
}

/** The way in which failures of servers are reported to clients of any wire. */
export const FAILURES: FailureMapping = { toModelError: reportedFailure, toClientError: upstreamError };

interface Row {
  readonly status: number;
  readonly code: string;
}

const CODES: Readonly<Record<number, ModelErrorCode>> = { 400: 'bad_request', 401: 'auth', 403: 'auth' };

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
const PASSED_ON: ReadonlySet<number> = new Set([400, 404, 409, 413, 415, 422]);

/** The server's own message about the key is not repeated, because some servers repeat the key in it. */
const AUTH =
  'The model server does not accept the credentials of the gateway. Check the key of this provider where the gateway runs.';

function clientError(error: ModelError, row: Row, refusal?: RequestRefusal): ClientError {
  const said = row.status < 500 && refusal !== undefined ? (parseErrorBody(refusal.body).error ?? {}) : {};
  const own = isOwnWord(row.code) ? text(said.code) : undefined;
  return new ClientError(error.message, {
    status: row.status,
    code: own ?? row.code,
    ...(row.status === 429 && { type: row.code === 'insufficient_quota' ? row.code : 'rate_limit_error' }),
    param: text(said.param) ?? null,
    retryAfterMs: row.status === 429 ? error.retryAfterMs : undefined,
  });
}

/** Reports whether our code says no more than the status, so that the server's code is better. */
function isOwnWord(code: string): boolean {
  return code === 'invalid_request' || code === 'not_found';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
