/** Why a request failed, as a word that programs may test. */
export type ModelErrorCode =
  | 'aborted'
  | 'auth'
  | 'bad_request'
  | 'context_length_exceeded'
  | 'idle_timeout'
  | 'incomplete'
  | 'invalid_response'
  | 'overloaded'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'rejected'
  | 'server_error'
  | 'stream_broken'
  | 'unexpected_status'
  | 'unreadable_reasoning'
  | 'unreachable'
  | 'usage_limit_reached';

/** A request that failed. The message is for the person at the terminal. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** Whether asking again with the same history may help. */
  readonly retryable: boolean;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number | undefined; status?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }
}

/** What went wrong with a call, as it stands in the event and in the rollout line's metadata. */
export type FailureKind = 'parse' | 'execution' | 'permission' | 'timeout' | 'mcp' | 'aborted';

/** A call that failed in a way the model should read about. The message is the call's whole output. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly kind: FailureKind;
  /** `none`: the call certainly changed nothing. */
  readonly effect: 'none' | 'maybe';

  constructor(kind: FailureKind, message: string, options: { cause?: unknown; effect?: 'none' } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.effect = options.effect ?? 'maybe';
  }
}

/** A mistake of the user's: wrong flag, wrong config, missing file. One sentence, no stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Of the program that ends with it. */
  readonly exitCode: number = 1;
}

/** Another owner has taken the thread: nothing more may be written to it from here, and nothing more started. */
export class LostThread extends UserError {}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
