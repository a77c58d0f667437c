import { ModelError, type ModelErrorCode } from '../base/errors.ts';
import { clockTime } from '../base/local-time.ts';
import type { ModelEvent } from '../base/model.ts';
import { saysTooLong, TOO_LONG_CODES } from '../wire/edge/failure-code.ts';
import { type ErrorBody, parseErrorBody, shorten } from './error-body.ts';
import { delayInText, retryAfterMs } from './retry.ts';
import { STATUS_NAMES } from './status-names.ts';
import { limitsInHeaders, resetTime } from './usage-limits.ts';

/** An answer whose status is not one of success. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Bounded. */
  readonly body: string;
  /** Without parts that may hold secrets. */
  readonly url: string;
  readonly now: number;
  /** Removes secrets from a text of the server. */
  readonly redact: (text: string) => string;
  /** Variable, file or program that the key comes from. Null: the request has no key. Absent: unknown. */
  readonly keyFrom?: string | null | undefined;
}

interface Row {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
  /** Replaces the server's own message. */
  readonly text?: string;
}

const TOO_LONG: Row = {
  code: 'context_length_exceeded',
  retryable: false,
  text: "Oxbow ran out of room in the model's context window. Start a new thread or clear earlier history before retrying, or use a model with a larger window.",
};

const OVERLOADED: Row = {
  code: 'overloaded',
  retryable: false,
  text: 'Selected model is at capacity. Please try a different model. Or try again later.',
};

const REJECTED: Row = { code: 'rejected', retryable: false };

/**
 * The names that servers have for their failures, in a stream or in the body of a failed request. Texts begin as those of Codex do, for
 * programs that look for them.
 */
const FAILURES: Readonly<Record<string, Row>> = {
  ...Object.fromEntries([...TOO_LONG_CODES].map((code) => [code, TOO_LONG])),
  insufficient_quota: {
    code: 'quota_exceeded',
    retryable: false,
    text: 'Quota exceeded. Check your plan and billing details.',
  },
  usage_not_included: {
    code: 'quota_exceeded',
    retryable: false,
    text: 'The plan of this account does not include this model. Use another model, another plan or an API key.',
  },
  usage_limit_reached: {
    code: 'usage_limit_reached',
    retryable: false,
    text: 'You’ve hit your usage limit. Try again later.',
  },
  invalid_encrypted_content: {
    code: 'unreadable_reasoning',
    retryable: false,
    text: 'The server cannot read the encrypted reasoning of this thread: another server or account wrote it.',
  },
  invalid_prompt: REJECTED,
  bio_policy: REJECTED,
  cyber_policy: REJECTED,
  misalignment_policy_violation: REJECTED,
  server_is_overloaded: OVERLOADED,
  slow_down: OVERLOADED,
  rate_limit_exceeded: { code: 'rate_limited', retryable: true },
  // An answer beyond a limit, or in another protocol, would be the same again.
  invalid_response: { code: 'invalid_response', retryable: false },
};

/** Redirects are not followed: one may lead the key to another host. */
const REDIRECT: Row = { code: 'unexpected_status', retryable: false };

/** Repeating the request cannot help: a wrong path, model or permission stays wrong. */
const REFUSED: Row = { code: 'unexpected_status', retryable: false };

/** The server may be busy, or lack something for a moment. */
const OTHER_STATUS: Row = { code: 'unexpected_status', retryable: true };

/** The meaning of a status when the body has none of the codes above. */
const STATUSES: Readonly<Record<number, Row>> = {
  400: { code: 'bad_request', retryable: false },
  401: { code: 'auth', retryable: false },
  408: OTHER_STATUS,
  409: OTHER_STATUS,
  413: TOO_LONG,
  425: OTHER_STATUS,
  429: { code: 'rate_limited', retryable: true },
  500: { code: 'server_error', retryable: true },
};

/** The meaning of all other statuses, by their first digit. */
const CLASSES: Readonly<Record<number, Row>> = { 3: REDIRECT, 4: REFUSED };

function rowOf(status: number): Row {
  return STATUSES[status] ?? CLASSES[Math.floor(status / 100)] ?? OTHER_STATUS;
}

/** Statuses with which servers that have no code for it refuse a request that is too long for the model. */
const MAY_BE_TOO_LONG: ReadonlySet<number> = new Set([400, 422, 500, 502, 503]);

const NO_REASON = 'the server gave no reason';

/** Returns the error to throw for a `failed` event. */
export function failureError(failure: StreamFailure): ModelError {
  const message = failure.message || NO_REASON;
  const disconnected = `stream disconnected before completion: ${message}`;
  if (failure.code === 'stream_closed') return new ModelError('stream_broken', disconnected, { retryable: true });
  const options = { retryable: true, serverWords: failure.message || undefined };
  if (failure.code === 'rate_limit_exceeded') {
    const text = failure.unfinished ? disconnected : `rate limit exceeded: ${message}`;
    return new ModelError('rate_limited', text, { ...options, retryAfterMs: delayInText(message) });
  }
  const codes = failure.code === null ? [] : [failure.code];
  return (
    anyKnownFailure(codes, message) ?? tooLongFailure(message) ?? new ModelError('server_error', disconnected, options)
  );
}

/** A failure that a server reported in a stream. */
type StreamFailure = Pick<Extract<ModelEvent, { type: 'failed' }>, 'code' | 'message' | 'unfinished'>;

/** Returns the error of a message that says that the input is too long; undefined for other messages. */
export function tooLongFailure(message: string): ModelError | undefined {
  return saysTooLong(message) ? errorOf(TOO_LONG, message) : undefined;
}

/** Returns the error of the first code that has a row; undefined for unknown codes. */
export function anyKnownFailure(
  codes: readonly string[],
  message: string,
  headerWaitMs?: number,
): ModelError | undefined {
  const code = codes.find((name) => Object.hasOwn(FAILURES, name));
  const row = code === undefined ? undefined : FAILURES[code];
  return row && errorOf(row, message, headerWaitMs);
}

function errorOf(row: Row, message: string, headerWaitMs?: number): ModelError {
  const waitMs = headerWaitMs ?? (row.code === 'rate_limited' ? delayInText(message) : undefined);
  return new ModelError(row.code, row.text ?? message, {
    retryable: row.retryable,
    retryAfterMs: waitMs,
    serverWords: message === NO_REASON ? undefined : message,
  });
}

/** Returns the error to throw for a failed request. */
export function statusError(answer: FailedAnswer): ModelError {
  const body = parseErrorBody(answer.redact(answer.body));
  if (body.codes.includes('usage_limit_reached')) return usageLimitError(body.error ?? {}, answer);
  const headerWaitMs = retryAfterMs(answer.headers, answer.now);
  const known = anyKnownFailure(body.codes, body.message || NO_REASON, headerWaitMs);
  if (known !== undefined && known.code !== 'rate_limited') return known;
  const tooLong = MAY_BE_TOO_LONG.has(answer.status) ? tooLongFailure(body.message) : undefined;
  if (tooLong !== undefined) return tooLong;
  const row = rowOf(answer.status);
  if (row === TOO_LONG) return errorOf(row, body.message);
  const waitMs = headerWaitMs ?? (row.code === 'rate_limited' ? delayInText(body.message) : undefined);
  return new ModelError(row.code, answer.redact(statusMessage(answer, body)), {
    retryable: row.retryable,
    retryAfterMs: row.retryable ? waitMs : undefined,
    status: answer.status,
    serverWords: body.message || undefined,
    codexMessage: codexMessageOf(row.code, answer),
  });
}

/** Returns the message of Codex about a status, where ours does not begin with it. */
function codexMessageOf(code: ModelErrorCode, { redact, body }: FailedAnswer): string | undefined {
  if (code === 'bad_request') return shorten(redact(body).trim(), MAX_BODY_CHARS);
  return code === 'server_error' ? BUSY : undefined;
}

/** Codex prints the whole body of a refusal. */
const MAX_BODY_CHARS = 10_000;

/** Codex's words for any status 500. */
const BUSY = 'We’re currently experiencing high demand, which may cause temporary errors.';

function usageLimitError(
  { resets_at, resets_in_seconds, plan_type }: Readonly<Record<string, unknown>>,
  { status, headers, now }: FailedAnswer,
): ModelError {
  const at = resetTime(resets_at, resets_in_seconds, now) ?? undefined;
  const when = at === undefined ? 'later' : `at ${clockTime(at)}`;
  const reported = limitsInHeaders(headers, now);
  const plan = typeof plan_type === 'string' ? plan_type : (reported?.plan ?? null);
  const whose = plan === null ? '' : ` The plan of this account is ${shorten(plan, MAX_PLAN_CHARS)}.`;
  return new ModelError('usage_limit_reached', `You’ve hit your usage limit. Try again ${when}.${whose}`, {
    status,
    resetsAt: at,
    limits: { plan, windows: reported?.windows ?? [] },
  });
}

const MAX_PLAN_CHARS = 50;

function statusMessage(answer: FailedAnswer, body: ErrorBody): string {
  const { status, url, headers } = answer;
  const name = `${status} ${STATUS_NAMES[status] ?? ''}`.trim();
  const said = body.message || NO_REASON;
  const id = requestId(headers);
  switch (STATUSES[status]?.code) {
    case 'bad_request':
      return body.message || `The server refused the request (${name}) and gave no reason${id}.`;
    case 'auth':
      return `unexpected status ${name}: ${said}, url: ${url}${id}. ${keyAdvice(answer.keyFrom)}`;
    case 'rate_limited':
      return `exceeded retry limit, last status: ${name}${id}. The server said: ${said}`;
    case 'server_error':
      return `The server failed (${name}): ${said}${id}`;
    default:
      if (status === 404 && body.message && body.codes.includes('model_not_found'))
        return `${body.message} (${name}, url: ${url}${id}). Check the name of the model.`;
      return `unexpected status ${name}: ${said}, url: ${url}${id}${hint(status, headers)}`;
  }
}

function keyAdvice(keyFrom: FailedAnswer['keyFrom']): string {
  if (keyFrom === undefined) return 'Check the key of this provider.';
  if (keyFrom === null) return 'No key was sent: name its variable with env_key in the table of this provider.';
  return `The key came from ${keyFrom}: check it there.`;
}

function hint(status: number, headers: FailedAnswer['headers']): string {
  if (status === 404) return '. Check base_url and the name of the model.';
  const { location } = headers;
  const advice = REDIRECT_ADVICE[status];
  if (advice === undefined || typeof location !== 'string') return '';
  return `. It points to ${location.replace(/[?#].*$/s, '')}: ${advice}`;
}

const MOVED = 'set base_url to match.';
const ELSEWHERE = 'this may be a page to log in. Check base_url, and a proxy on the way.';

/** Redirects that name a place, and what to do about each. */
const REDIRECT_ADVICE: Readonly<Record<number, string>> = {
  300: 'set base_url to one of its addresses.',
  301: MOVED,
  302: ELSEWHERE,
  303: ELSEWHERE,
  305: 'it wants requests to come through that proxy, which is not supported.',
  307: MOVED,
  308: MOVED,
};

function requestId(headers: FailedAnswer['headers']): string {
  const id = headers['x-request-id'] ?? headers['request-id'];
  const ray = headers['cf-ray'];
  return `${ray === undefined ? '' : `, cf-ray: ${ray}`}${id === undefined ? '' : `, request id: ${id}`}`;
}
