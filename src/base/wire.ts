import type { ModelEvent, ModelRequest } from './model.ts';
import type { RequestText } from './request-text.ts';
import type { ToolSpec } from './tool.ts';

/** The name of a wire in the registry of `wire/`. */
export type WireName = string;

/** A protocol as a client speaks it, in pure functions. */
export interface ClientWire {
  readonly name: WireName;
  /** Path below the base URL of a provider. */
  readonly path: string;
  readonly framing: Framing;
  /** Headers that only requests of this wire have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialHeader;
  readonly carries: WireCarries;
  /** List of models of a server. Absent: `GET /models`, with the models in `data`. */
  readonly listing?: ModelListing;
  /** Whether requests leave out the reasoning of earlier turns. */
  readonly forgetsReasoning: boolean;
  /** Whether every request must limit the tokens of its answer. The sender sets `maxOutputTokens` where the client did not. */
  readonly needsOutputLimit?: true;
  /**
   * Window that a server of this wire is asked to load a model with, if the user names none. Absent: servers have windows
   * of their own.
   */
  readonly usualWindow?: number;
  /** Returns the tools that the wire cannot express, each once, by name or kind. Requests are sent without them. */
  unsentTools(tools: readonly ToolSpec[]): readonly string[];
  encodeRequest(request: ModelRequest, compat: Compat): RequestText;
  /**
   * Returns a decoder of one response. Wires that know only functions need the request, to find the tool that a
   * function stands for.
   */
  decodeStream(request?: ModelRequest): StreamDecoder;
  /** Reports whether a body that is not a stream is a complete answer, and not an error or a web page. */
  isWholeAnswer(text: string): boolean;
}

/** The header that holds a key. A credential with a scheme of its own is sent as `authorization` instead. */
export interface CredentialHeader {
  readonly name: string;
  /** Word before the key. */
  readonly scheme?: string;
}

/** The way in which servers of a wire list their models. */
export interface ModelListing {
  /** Path below the base URL of a provider, with its query. */
  readonly path: string;
  /** Returns the models in the parsed body of an answer, each with its `id`; undefined if the body is something else. */
  modelsIn(body: unknown): readonly ListedModel[] | undefined;
}

/** A model as a server lists it. */
export type ListedModel = Readonly<Record<string, unknown>> & { readonly id: unknown };

/** Kinds of tools that a wire has a form of its own for. The wire sends the others as functions, or not at all. */
export interface WireCarries {
  readonly customTools: boolean;
  readonly namespaces: boolean;
  readonly localShell: boolean;
  /** Tools that the server runs. */
  readonly hostedTools: boolean;
}

/** One event as it came over a wire. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
  /** Parsed value of `data`, if it was parsed already. */
  readonly json?: unknown;
}

/** The way in which frames follow each other in the bytes of a response. */
export interface Framing {
  /** Returns a reader for one response. */
  createReader(maxFrameChars?: number): FrameReader;
  /** Returns frames as the text to send. */
  write(frames: readonly Frame[]): string;
  /** Content type of a body in this framing. */
  readonly contentType: string;
  /** Content types that a client accepts. */
  readonly accept: string;
  /**
   * Text without meaning that is sent between frames to show that the connection is alive. Empty if the framing has no
   * such text.
   */
  readonly ping: string;
  /** Reports whether a body that begins with this text is a stream, even if its content type says otherwise. */
  begins(text: string): boolean;
}

/**
 * A reader that turns the bytes of one response, cut anywhere, into frames. Throws `ModelError` if a frame becomes too
 * long.
 */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** Returns the last frame of a body that ends without the separator. */
  end(): readonly Frame[];
}

/**
 * The repair of one response's frames before they are decoded. A frame without a fault keeps its data. Frames that
 * cannot be judged yet are held back, as few as possible. Never throws.
 */
export interface StreamRepair {
  push(frame: Frame): readonly Frame[];
  /** Returns the frames that remain when the connection ends. */
  end(): readonly Frame[];
  /** Reports whether the response was given up because of a limit, so that nothing more of it goes out. */
  isGivenUp?(): boolean;
  /**
   * Reports whether the server has said why the model stopped, and nothing since, so that only the end of the response
   * is missing.
   */
  isStopped?(): boolean;
}

/** Frames to events, for one response. */
export interface StreamDecoder {
  /** Returns the events of a frame. Frames that do not concern the client have none. Never throws. */
  push(frame: Frame): readonly ModelEvent[];
  /**
   * Returns the events at the end of the connection. A stream that did not say that it was finished is broken: its last
   * event is `failed` with the code `stream_closed`.
   */
  end(): readonly ModelEvent[];
}

/** Events to frames, for one response. */
export interface StreamEncoder {
  push(event: ModelEvent): readonly Frame[];
}

/** Options of an encoder. */
export interface EncodeStreamOptions {
  readonly model: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Whether the client asked for the usage at the end of a stream. Wires that always send it ignore this. */
  readonly includeUsage?: boolean;
  /**
   * Whether raw reasoning is sent as a summary and sealed into the item. For clients that show summaries and send back
   * only the fields they know. Wires without items ignore this.
   */
  readonly sealReasoning?: boolean;
  /** Fields of the request that the response object repeats. Wires without such an object ignore this. */
  readonly repeated?: Readonly<Record<string, unknown>>;
}

/**
 * Differences of a server from its protocol: named settings, data of its provider. Only differences that the server's
 * own stream does not reveal are settings.
 */
export interface Compat extends RequestCompat {
  /** Where the base instructions go: the field of that name, or the first developer item. */
  readonly instructions: 'field' | 'item';
  readonly parallelToolCalls: boolean;
  /**
   * Reasoning inside the text. `tags`: between think tags at the beginning of the answer. `open`: the answer begins
   * inside the reasoning, and only the closing tag comes. `text`: tags are text.
   */
  readonly thinking: 'tags' | 'open' | 'text';
  /** Whether to look in the text for calls that the server left there. */
  readonly textCalls: boolean;
  /** Whether the server escapes arguments as HTML. */
  readonly htmlEntities: boolean;
  /** Ids of calls that the server accepts: any, or nine letters and digits. */
  readonly callIds: 'any' | 'nine';
  /** Earlier reasoning that is sent back to the server: that of this turn, all of it, or none. */
  readonly sendReasoning: 'turn' | 'all' | 'none';
  /** With `object`, outputs of calls are sent as `{content, success}`. Only the responses wire has a field for that. */
  readonly toolOutput: 'plain' | 'object';
}

/** Forms of requests that a server refuses although others accept them. The defaults change nothing. */
export interface RequestCompat {
  /** Name of the role of developers. */
  readonly developerRole: 'developer' | 'system';
  /** With `one`, a single system message at the beginning. Later ones become user messages with a label. */
  readonly systemMessages: 'any' | 'one';
  /**
   * Whether two messages of the same role may not follow each other, except those of tools, and a user message may not
   * follow a tool's.
   */
  readonly alternateRoles: boolean;
  /**
   * Fields to leave out, as paths such as `store` or `messages.*.reasoning_content`. `tool_calls.*.name` stands for
   * `messages.*.tool_calls.*.name`. Fields that a request needs stay. Lists of tools and calls are left out when they
   * become empty.
   */
  readonly dropFields: readonly string[];
  /** Name of the field that limits the tokens of an answer in a chat request. */
  readonly maxTokens: 'as_sent' | 'max_tokens' | 'max_completion_tokens';
  /** With `auto`, no tool may be forced. With `omit`, the field is not sent. */
  readonly toolChoice: 'any' | 'auto' | 'omit';
  /**
   * With `strict`, the calls of a response stand together. Their results follow directly, in the same order, one for
   * each call.
   */
  readonly toolOrder: 'as_sent' | 'strict';
  /** Content of chat messages that have calls and no text. */
  readonly emptyContent: 'as_sent' | 'null' | 'empty' | 'omit' | 'space';
  /** With `user`, only user messages may contain images. Images of results follow in a user message. */
  readonly toolImages: 'as_sent' | 'user';
  readonly schemas: readonly SchemaLimit[];
  /** With `plain`, names have at most 64 letters, digits, underscores and dashes. */
  readonly toolNames: 'any' | 'plain';
  /** Maximum number of stop words in a chat request, or null for any number. */
  readonly maxStops: number | null;
  /**
   * Form in which a request says how much the model thinks, on wires that have two: an effort with which the model
   * decides itself, or a number of tokens. Newer models refuse the second, older ones the first. With `none`, a request
   * says nothing about it.
   */
  readonly thinkingForm: 'as_sent' | 'adaptive' | 'budget' | 'none';
  /** Largest limit on the tokens of an answer that the server accepts, or null for any limit. */
  readonly maxOutputTokens: number | null;
}

/**
 * Features that JSON schemas may not have. `typed_branches`: a type next to branches; it is moved into them. `plain`:
 * anything but the basic keywords. `no_patterns`: patterns and formats of texts.
 */
export type SchemaLimit = 'typed_branches' | 'plain' | 'no_patterns';

export const DEFAULT_REQUEST_COMPAT: RequestCompat = {
  developerRole: 'developer',
  systemMessages: 'any',
  alternateRoles: false,
  dropFields: [],
  maxTokens: 'as_sent',
  toolChoice: 'any',
  toolOrder: 'as_sent',
  emptyContent: 'as_sent',
  toolImages: 'as_sent',
  schemas: [],
  toolNames: 'any',
  maxStops: null,
  thinkingForm: 'as_sent',
  maxOutputTokens: null,
};

/** Settings of a server that keeps to its protocol. */
export const DEFAULT_COMPAT: Compat = {
  instructions: 'field',
  parallelToolCalls: true,
  thinking: 'tags',
  textCalls: true,
  htmlEntities: false,
  callIds: 'any',
  sendReasoning: 'turn',
  toolOutput: 'plain',
  ...DEFAULT_REQUEST_COMPAT,
};
