import type { UsageLimits } from './usage-limits.ts';

/** The reason why a request failed, as a code that programs may test. */
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
  /** Kind of the failure, for programs. */
  readonly code: ModelErrorCode;
  /** Whether sending the same history again may help. */
  readonly retryable: boolean;
  /** Time that the server asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** HTTP status, if there was one. */
  readonly status: number | undefined;
  /** The server's word for why an `incomplete` response ended. */
  readonly cutOff: string | undefined;
  /** Message of the error that this error explains, such as the error of a summary that could not be written. */
  readonly said: string | undefined;
  /** The server's own words, without secrets. The message may replace them. */
  readonly serverWords: string | undefined;
  /**
   * Message of Codex about this failure, where ours does not begin with it, such as the body of an answer with status
   * 400. Bounded and without secrets.
   */
  readonly codexMessage: string | undefined;
  /** Time when a usage limit ends, in milliseconds since 1970. */
  readonly resetsAt: number | undefined;
  /** Limits that the server reported with the failure. */
  readonly limits: UsageLimits | undefined;
  /** A way out, if one is known. */
  readonly remedy: Remedy | undefined;

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.cutOff = options.cutOff;
    this.said = options.said;
    this.serverWords = options.serverWords;
    this.codexMessage = options.codexMessage;
    this.resetsAt = options.resetsAt;
    this.limits = options.limits;
    this.remedy = options.remedy;
  }
}

/** The fields of a `ModelError` besides its code and message. */
export interface ModelErrorOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly cutOff?: string | undefined;
  readonly said?: string;
  readonly serverWords?: string | undefined;
  readonly codexMessage?: string | undefined;
  readonly resetsAt?: number | undefined;
  readonly limits?: UsageLimits | undefined;
  readonly remedy?: Remedy;
  readonly cause?: unknown;
}

/** The kind of failure of a call, as events and the metadata of rollout lines name it. */
export type FailureKind = 'parse' | 'execution' | 'permission' | 'timeout' | 'mcp' | 'aborted';

/** A failure of a call that the model should read about. The message is the whole output of the call. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly kind: FailureKind;
  /** Whether the call may have changed anything. `none`: it certainly did not. */
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
  /** A recording, or a file that this program keeps, was damaged or changed. */
  | 'damaged'
  /** Another process, thread or turn uses the thing. */
  | 'in_use'
  /** A setting is missing or makes no sense. */
  | 'invalid_config'
  /** An argument, an input or a request cannot be used. */
  | 'invalid_input'
  /** Another owner has taken the thread. */
  | 'lost'
  /** The named thread, turn, file, folder or commit does not exist. */
  | 'not_found'
  /** There is nothing to do, because everything is in the wanted state already. */
  | 'nothing_to_do'
  /** The folder is neither in a git repository nor trusted. */
  | 'not_trusted'
  /** A file cannot be read or written. */
  | 'storage'
  /** A program or an address that is needed cannot be reached, or failed. */
  | 'unavailable'
  /** Node instead of another runtime, or a newer version of this program or of Node, is needed. */
  | 'unsupported';

/** A remedy is a way out of an error, as data. Each surface words it: the command line as a flag or a command. */
export type Remedy =
  /** Choose another port, or 0 for any free port. */
  | { readonly type: 'choose_port' }
  /** Choose another provider, whose key is known or that needs no key. */
  | { readonly type: 'choose_provider' }
  /** Choose another wire for the server that the gateway sends requests to. */
  | { readonly type: 'choose_wire' }
  /** Go on in a copy of the thread, which is not in use. */
  | { readonly type: 'fork_thread'; readonly thread: string }
  /** Keep the thread in memory only. */
  | { readonly type: 'keep_no_record' }
  /** Name the variable with the key that clients of the gateway have to present. */
  | { readonly type: 'name_gateway_key' }
  | { readonly type: 'name_model' }
  /** Name a server or a provider that the gateway sends requests to. */
  | { readonly type: 'name_upstream' }
  | { readonly type: 'search_all_folders' }
  /** Sign in, with the name of the account if it is not the default one. */
  | { readonly type: 'sign_in'; readonly account?: string }
  /** Sign in by typing a code in a browser elsewhere. */
  | { readonly type: 'sign_in_with_code' }
  | { readonly type: 'unarchive_thread'; readonly thread: string };

/** A mistake of the user: wrong flag, wrong config, missing file. Shown as a sentence or two, without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Kind of the mistake, for programs. */
  readonly code: UserErrorCode;
  /** A way out, if one is known. */
  readonly remedy: Remedy | undefined;
  /** Exit code of a program that ends with this error. */
  readonly exitCode: number = 1;

  constructor(code: UserErrorCode, message: string, options: { cause?: unknown; remedy?: Remedy } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
  }
}

/** Another owner has taken the thread. This process may not write to the thread, and may not start anything for it. */
export class LostThread extends UserError {
  constructor(message: string) {
    super('lost', message);
  }
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
