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
  /** Tools that the server runs, and kinds that only pass through. Clients of a gateway may send further kinds. */
  | { readonly type: HostedTool; readonly [field: string]: unknown };

/** A tool with arguments in JSON. */
export type FunctionSpec = {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly strict: boolean;
  readonly parameters: JsonSchema;
};

/** A tool with a free text as its input. */
export type CustomSpec = {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string;
  readonly format?: Readonly<Record<string, unknown>>;
};

/** Tools that belong together. A call names the namespace next to the tool. */
export type NamespaceSpec = {
  readonly type: 'namespace';
  readonly name: string;
  readonly description: string;
  readonly tools: readonly (FunctionSpec | CustomSpec)[];
};

/** A kind of tool that the server runs. */
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

/** A kind of built-in tool. `shell` stands for all tools that run commands. */
export type BuiltInTool = 'shell' | 'update_plan' | 'apply_patch' | 'view_image' | 'web_search';

/** A call as the model made it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
  readonly payload: ToolPayload;
}

/** The input of a call. */
export type ToolPayload =
  | { readonly kind: 'function'; readonly arguments: string }
  | { readonly kind: 'custom'; readonly input: string }
  | { readonly kind: 'local_shell'; readonly action: LocalShellCallItem['action'] };

/**
 * A tool plans, the engine decides, the environment acts.
 *
 * `plan` returns the action that the tool intends, without any effect. It throws `ToolFailure` if the call makes no
 * sense. The tool does not decide whether the action may happen. `run` performs the action in an environment that
 * already applies the sandbox.
 */
export interface Tool<A extends Action = Action> {
  readonly name: string;
  /** Namespace in which the name is unique. */
  readonly namespace?: string;
  /** Text about the namespace for the model. The first tool of a namespace that has one counts. */
  readonly namespaceText?: string;
  /** Other names under which a model may call the tool. */
  readonly aliases?: readonly string[];
  readonly accepts: readonly ToolPayload['kind'][];
  readonly spec: ToolSpec;
  /** Whether calls may run at the same time as others. If false, each call waits for all others and runs alone. */
  readonly parallel: boolean;
  plan(call: ToolCall, view: View): Promise<A>;
  run(action: A, environment: CallEnvironment): Promise<ToolResult>;
  /**
   * Plans an action again that the user edited. Absent if a plan depends on nothing but the call. Throws `ToolFailure` if
   * the action makes no sense.
   */
  replan?(action: A, view: View): Promise<A>;
  /** Returns the output of a call that was interrupted after this number of seconds. */
  aborted?(seconds: number): string;
}

/**
 * The tools of one request. The object stays the same as long as the tools do, because encoders and others cache by
 * identity.
 */
export interface ToolSnapshot {
  /** Tools that the model sees. */
  readonly offered: readonly ToolSpec[];
  /** A text that differs if the offered tools differ. */
  readonly digest: string;
  /** Returns the tool that a call means, by any of its names. */
  find(call: Pick<ToolCall, 'name' | 'namespace'>): Tool | undefined;
}

/** The view that a plan has of the machine. Reading through it has no effects. */
export interface View {
  readonly cwd: string;
  /** Absolute path of the user's shell. */
  readonly shell: string;
  /** Whether a shell runs an argv that contains shell operators. */
  readonly repairArgv: boolean;
  /** Whether commands may have the environment of a login shell: true by default. */
  readonly loginShell?: boolean;
  /** Returns the absolute form of a path that the model wrote. Relative paths start at the working directory. */
  resolve(path: string): string;
  readonly files: Pick<Files, 'locate' | 'read' | 'isInGit'>;
  /** Kinds of input that the model accepts besides text. */
  readonly inputs: { readonly images: boolean; readonly originalImages: boolean };
  /** Value that the embedding program gave the thread. */
  readonly context?: unknown;
}

/** The end of a call. */
export interface ToolResult {
  /** Output for the model. The tool bounds its length. */
  readonly output: Output;
  readonly success: boolean;
  readonly failure?: FailureKind;
  /** Whether the output is the structured content of an MCP server, as JSON. */
  readonly structured?: boolean;
}
