import type { Action } from './action.ts';
import type { ContentPart, Output } from './item.ts';
import type { ToolResult } from './tool.ts';

/** A call of any tool, as `beforeCall` and `afterCall` see it. */
export interface HookedCall {
  readonly threadId: string;
  readonly turnId: string;
  /** Id of the call, as in events. */
  readonly callId: string;
  /** Name of the tool, as the model wrote it. */
  readonly name: string;
  readonly namespace?: string;
  /** The arguments. A text if the tool accepts free text, such as a patch. */
  readonly args: unknown;
  /** The effect that the call would have: the command with its argv, the files of a patch. */
  readonly action: Action;
}

/** The thread of a hooked call. `C` is the type of its `context`. */
export interface HookContext<C = unknown> {
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  /** The `context` of the thread. */
  readonly context: C;
}

/** An answer of `beforeCall`: a reason not to run the call, which the model reads, or other arguments for it. */
export type BeforeCallAnswer = { readonly deny: string } | { readonly args: unknown };

/** The end of a call, as `afterCall` sees it. */
export interface CallResult {
  readonly output: Output;
  readonly success: boolean;
}

/** A result in the place of another one. Default of `success`: as it was. */
export interface ReplacedResult {
  readonly output: string | readonly ContentPart[];
  readonly success?: boolean;
}

/** Functions of the embedding program around each call of a tool. */
export interface CallHooks<C = unknown> {
  /**
   * Called with each call of any tool after its arguments were checked, and before the user is asked. May deny the call
   * or replace its arguments, which are checked again. A call whose hook throws is denied.
   */
  beforeCall?(call: HookedCall, thread: HookContext<C>): HookAnswer<BeforeCallAnswer>;
  /**
   * Called with each call that ran, and its result. May replace the result: the model reads the new one, and the log
   * keeps it. If the hook throws, the result stays.
   */
  afterCall?(call: HookedCall, result: CallResult, thread: HookContext<C>): HookAnswer<ReplacedResult>;
}

/** The answer of a hook. A hook without a return statement changes nothing. */
export type HookAnswer<T> = T | undefined | Nothing | Promise<T | undefined | Nothing>;

/** The value of a function without a return statement. */
export type Nothing = ReturnType<() => void>;

/** A hook around calls that never throws: a failure of the embedding program has become an answer. */
export interface GuardedHook {
  before(call: HookedCall, thread: HookContext): Promise<BeforeCallAnswer | undefined>;
  after(call: HookedCall, result: ToolResult, thread: HookContext): Promise<ToolResult>;
}
