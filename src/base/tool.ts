import type { Action } from './action.ts';
import type { CallEnvironment, Files } from './environment.ts';
import type { FailureKind } from './errors.ts';
import type { LocalShellCallItem, Output } from './item.ts';
import type { JsonSchema } from './json-schema.ts';

/** The description of a tool for the model, in the Responses shape. */
export type ToolSpec =
  | FunctionSpec
  | CustomSpec
  | NamespaceSpec
  /** Tools that the server runs, and kinds that only pass through. Clients of a gateway may send others still. */
  | { readonly type: HostedTool; readonly [field: string]: unknown };

export type FunctionSpec = {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly strict: boolean;
  readonly parameters: JsonSchema;
};

export type CustomSpec = {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string;
  readonly format?: Readonly<Record<string, unknown>>;
};

/** Tools that belong together. Calls name the namespace beside the tool. */
export type NamespaceSpec = {
  readonly type: 'namespace';
  readonly name: string;
  readonly description: string;
  readonly tools: readonly (FunctionSpec | CustomSpec)[];
};

export type HostedTool =
  | 'local_shell'
  | 'web_search'
  | 'web_search_preview'
  | 'file_search'
  | 'image_generation'
  | 'code_interpreter'
  | 'computer_use_preview'
  | 'mcp'
  | 'shell'
  | 'apply_patch'
  | 'namespace'
  | 'tool_search';

/** A call as the model made it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
  readonly payload: ToolPayload;
}

export type ToolPayload =
  | { readonly kind: 'function'; readonly arguments: string }
  | { readonly kind: 'custom'; readonly input: string }
  | { readonly kind: 'local_shell'; readonly action: LocalShellCallItem['action'] };

/**
 * A tool plans, the engine decides, the environment acts.
 *
 * `plan` says what the tool wants to do, without doing it; it throws `ToolFailure` when the call makes no sense.
 * Whether the action may happen is not the tool's business. `run` does it with environment that already carry the sandbox.
 */
export interface Tool<A extends Action = Action> {
  readonly name: string;
  /** The namespace that the name is unique in. */
  readonly namespace?: string;
  /** Other names under which a model may call it. */
  readonly aliases?: readonly string[];
  readonly accepts: readonly ToolPayload['kind'][];
  readonly spec: ToolSpec;
  /** Whether calls may run beside others. Calls that may not take the lock for themselves. */
  readonly parallel: boolean;
  plan(call: ToolCall, view: View): Promise<A>;
  run(action: A, environment: CallEnvironment): Promise<ToolResult>;
  /** The output of a call that was interrupted after so many seconds. */
  aborted?(seconds: number): string;
}

/** The tools of one request. They are the same object as long as they do not change: encoders and others cache by identity. */
export interface ToolSnapshot {
  /** The tools that the model is told about. */
  readonly offered: readonly ToolSpec[];
  /** A text that differs when the offered tools do. */
  readonly digest: string;
  /** Returns the tool that a call means, by any of its names. */
  find(call: Pick<ToolCall, 'name' | 'namespace'>): Tool | undefined;
}

/** What a plan may look at. Reading through it has no effects. */
export interface View {
  readonly cwd: string;
  /** The user's shell, an absolute path. */
  readonly shell: string;
  /** Whether an argv that holds shell operators is run by a shell. */
  readonly repairArgv: boolean;
  /** A path of the model's, made absolute against the working directory. */
  resolve(path: string): string;
  readonly files: Pick<Files, 'locate' | 'read' | 'isInGit'>;
  /** What the model takes in, beside text. */
  readonly inputs: { readonly images: boolean; readonly originalImages: boolean };
}

export interface ToolResult {
  /** For the model. Bounded by the tool. */
  readonly output: Output;
  readonly success: boolean;
  readonly failure?: FailureKind;
}
