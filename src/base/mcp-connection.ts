import type { JsonSchema } from './json-schema.ts';

/** An open connection to an MCP server. Every method throws `McpFault`. */
export interface McpConnection {
  readonly server: McpServerFacts;
  /** Returns all tools of the server, in its order, from at most 100 pages. */
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  callTool(call: McpToolRequest): Promise<McpToolResult>;
  listResources(page: McpPage): Promise<Readonly<Record<string, unknown>>>;
  listResourceTemplates(page: McpPage): Promise<Readonly<Record<string, unknown>>>;
  readResource(uri: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  listPrompts(signal: AbortSignal): Promise<readonly McpPrompt[]>;
  getPrompt(
    name: string,
    input: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly McpPromptMessage[]>;
  /** Resolves when the connection has ended, with a sentence that says why. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends the connection and the process of the server with everything that it started. */
  close(): Promise<void>;
}

/** Facts that a server states about itself. */
export interface McpServerFacts {
  readonly name: string;
  readonly version: string;
  /** Revision of the protocol that was agreed on. */
  readonly revision: string;
  readonly instructions: string | null;
  readonly has: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
}

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly hints: McpHints;
}

/** Claims of a server about one of its tools. */
export interface McpHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** A call of a tool. */
export interface McpToolRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Time without progress after which the call is cancelled. */
  readonly timeoutMs: number;
  /** Time after which the call is cancelled, however much progress there is. */
  readonly maxTotalMs: number;
  /** Entries of `_meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** When it aborts, the call is cancelled at the server too. */
  readonly signal: AbortSignal;
  onProgress(progress: McpProgress): void;
  /** Answers a question that the server asks during the call. Absent if there is no user to ask. */
  elicit?(question: McpElicitation, signal: AbortSignal): Promise<McpElicitationAnswer>;
  /** Lets the model of the thread write a message for the server. Absent if that is not allowed. */
  sample?(request: McpSampling, signal: AbortSignal): Promise<McpSamplingAnswer>;
}

/** Progress of a call as its server tells it. */
export interface McpProgress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

/** A question of a server to the user. */
export type McpElicitation =
  | { readonly mode: 'form'; readonly message: string; readonly schema: JsonSchema }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly id: string };

/** The answer of the user to a server. */
export interface McpElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A request of a server for a message of the model. */
export interface McpSampling {
  readonly systemPrompt: string | null;
  readonly messages: readonly McpSamplingMessage[];
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  readonly temperature: number | null;
  /** Texts at which the answer ends. */
  readonly stop: readonly string[];
}

/** A message that a server wants the model to read. */
export interface McpSamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly McpSamplingPart[];
}

/** A text, or an image as base64. */
export type McpSamplingPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** A message that the model wrote for a server. */
export interface McpSamplingAnswer {
  readonly model: string;
  readonly role: 'assistant';
  readonly content: { readonly type: 'text'; readonly text: string };
  readonly stopReason?: 'endTurn' | 'maxTokens';
}

/** The result of a call: the parts as the server sent them. */
export interface McpToolResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent: unknown;
  readonly isError: boolean;
}

/** A page of a list. */
export interface McpPage {
  readonly cursor?: string;
  readonly signal: AbortSignal;
}

/** A prompt of a server. */
export interface McpPrompt {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
}

/** A message of a prompt. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: Readonly<Record<string, unknown>>;
}
