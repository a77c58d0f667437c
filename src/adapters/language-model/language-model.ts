import type { JsonSchema } from '../../base/json-schema.ts';

/**
 * A model of the Vercel AI SDK, as its providers make it: `LanguageModelV2` or `LanguageModelV3` of `@ai-sdk/provider`.
 * Only the members that are used are required.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v2' | 'v3';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: LanguageModelCall): PromiseLike<{ readonly stream: LanguageModelStream }>;
}

/** A stream of parts, such as a `ReadableStream`. */
export interface LanguageModelStream {
  getReader(): LanguageModelReader;
}

/** The reader of a stream of parts. */
export interface LanguageModelReader {
  read(): PromiseLike<{ readonly done: boolean; readonly value?: { readonly type: string } | undefined }>;
  cancel(reason?: unknown): PromiseLike<void>;
}

/** Options and metadata of providers, by the names of the providers. */
export type ProviderFields = Record<string, Record<string, ProviderValue>>;

/** A value of JSON. */
export type ProviderValue = null | string | number | boolean | { [key: string]: ProviderValue } | ProviderValue[];

/** A request to a language model. */
export interface LanguageModelCall {
  prompt: LanguageModelMessage[];
  tools?: LanguageModelTool[];
  toolChoice?: { type: 'auto' } | { type: 'none' } | { type: 'required' } | { type: 'tool'; toolName: string };
  maxOutputTokens?: number;
  temperature?: number;
  stopSequences?: string[];
  topP?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseFormat?: { type: 'json'; schema?: JsonSchema; name?: string; description?: string };
  seed?: number;
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
  providerOptions?: ProviderFields;
}

/** A tool of a request. */
export interface LanguageModelTool {
  type: 'function';
  name: string;
  description?: string;
  inputSchema: JsonSchema;
  strict?: boolean;
}

/** A message of a prompt. */
export type LanguageModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: LanguageModelInput[] }
  | { role: 'assistant'; content: LanguageModelOutput[] }
  | { role: 'tool'; content: LanguageModelResult[] };

/** A part of a message of the user. */
export type LanguageModelInput =
  | { type: 'text'; text: string }
  | { type: 'file'; data: string | URL; mediaType: string; filename?: string };

/** A part of a message of the model. */
export type LanguageModelOutput =
  | { type: 'text' | 'reasoning'; text: string; providerOptions?: ProviderFields }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown; providerOptions?: ProviderFields };

/** The result of a call. */
export interface LanguageModelResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string };
}
