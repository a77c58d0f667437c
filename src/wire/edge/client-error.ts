import { messageOf, UserError } from '../../base/errors.ts';

export interface ClientErrorOptions {
  readonly status: number;
  readonly code: string | null;
  readonly type?: string;
  readonly param?: string | null;
  readonly retryAfterMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Message for the log, which may say more than the client may see. */
  readonly detail?: string;
}

/** Codes of errors that remain at the next attempt. Some clients repeat any request with their status, for minutes. */
const FINAL: ReadonlySet<string | null> = new Set([
  'invalid_api_key',
  'upstream_auth',
  'insufficient_quota',
  'usage_limit_reached',
]);

/** An error that a client gets instead of an answer. The message is a sentence for the user of the client. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: string | null;
  readonly type: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly detail: string;

  constructor(message: string, options: ClientErrorOptions) {
    super(message);
    const { status, code, type, param = null, retryAfterMs, headers, detail } = options;
    this.status = status;
    this.code = code;
    this.type = type ?? (status < 500 ? 'invalid_request_error' : 'server_error');
    this.param = param;
    this.detail = detail ?? message;
    this.headers = {
      ...headers,
      ...(FINAL.has(code) && { 'x-should-retry': 'false' }),
      ...(retryAfterMs !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
    };
  }
}

/** Returns an error in the shape that most clients know. */
export function plainErrorBody(error: ClientError): { readonly error: Readonly<Record<string, string | null>> } {
  const { message, type, code, param } = error;
  return { error: { message, type, code, param } };
}

/** Returns the error for an invalid request. */
export function badRequest(message: string, param: string | null = null): ClientError {
  return new ClientError(message, { status: 400, code: 'invalid_request', param });
}

/**
 * Converts an error thrown in the gateway into one for the client. The message of an unexpected error is hidden: it may
 * hold anything.
 */
export function asClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  if (error instanceof UserError) return badRequest(error.message);
  return new ClientError('The gateway failed at this request. Its log says more.', {
    status: 500,
    code: 'internal_error',
    detail: messageOf(error),
  });
}
