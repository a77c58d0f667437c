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
  /** Why an `incomplete` response ended, in the server's word. */
  readonly cutOff: string | undefined;
  /** The message of the error that this one explains, such as that of a summary that could not be written. */
  readonly said: string | undefined;
  readonly remedy: Remedy | undefined;

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.cutOff = options.cutOff;
    this.said = options.said;
    this.remedy = options.remedy;
  }
}

interface ModelErrorOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number;
  readonly cutOff?: string | undefined;
  readonly said?: string;
  readonly remedy?: Remedy;
  readonly cause?: unknown;
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

/** The kind of a `UserError`, for programs to test. Errors of one kind call for the same reaction. */
export type UserErrorCode =
  /** An agent or a thread was used after it was closed. */
  | 'closed'
  /** A file that this program keeps, or a recording, is not what it was. */
  | 'damaged'
  /** Another process, thread or turn has it. */
  | 'in_use'
  /** A setting is missing or makes no sense. */
  | 'invalid_config'
  /** An argument, an input or a request cannot be used as it is. */
  | 'invalid_input'
  /** Another owner has taken the thread. */
  | 'lost'
  /** The thread, turn, file, folder or commit that was named is not there. */
  | 'not_found'
  /** There is nothing to do: everything is as it should be. */
  | 'nothing_to_do'
  /** The folder is neither in a git repository nor trusted. */
  | 'not_trusted'
  /** A file cannot be read or written. */
  | 'storage'
  /** A program or an address that this needs cannot be had, or failed. */
  | 'unavailable'
  /** A newer version, of this program or of Node, would be needed. */
  | 'unsupported';

/** A way out of an error, as data. Each surface words it: the command line as a flag or a command. */
export type Remedy =
  /** Another port, or 0 for any that is free. */
  | { readonly type: 'choose_port' }
  /** Another provider, whose key is known or that needs none. */
  | { readonly type: 'choose_provider' }
  /** A copy of the thread, which can be continued at once. */
  | { readonly type: 'fork_thread'; readonly thread: string }
  /** A thread that is kept in memory only. */
  | { readonly type: 'keep_no_record' }
  /** A variable with a key that clients of the gateway have to show. */
  | { readonly type: 'name_gateway_key' }
  | { readonly type: 'name_model' }
  /** A server or a provider that the gateway sends requests to. */
  | { readonly type: 'name_upstream' }
  | { readonly type: 'search_all_folders' }
  | { readonly type: 'unarchive_thread'; readonly thread: string };

/** A mistake of the user's: wrong flag, wrong config, missing file. A sentence or two, no stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code: UserErrorCode;
  readonly remedy: Remedy | undefined;
  /** Of the program that ends with it. */
  readonly exitCode: number = 1;

  constructor(code: UserErrorCode, message: string, options: { cause?: unknown; remedy?: Remedy } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
  }
}

/** Another owner has taken the thread: nothing more may be written to it from here, and nothing more started. */
export class LostThread extends UserError {
  constructor(message: string) {
    super('lost', message);
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
