import type { ModelEvent, ModelRequest } from './model.ts';
import type { RequestText } from './request-text.ts';
import type { ToolSpec } from './tool.ts';

/** The name of a wire: one of those in the registry of `wire/`. */
export type WireName = string;

/** A protocol as a client speaks it, in pure functions. */
export interface ClientWire {
  readonly name: WireName;
  /** The path below a provider's base URL. */
  readonly path: string;
  readonly framing: Framing;
  /** Headers that only requests of this wire have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialHeader;
  readonly carries: WireCarries;
  /** Whether requests leave out the reasoning of earlier turns. */
  readonly forgetsReasoning: boolean;
  /** Returns the tools that the wire has no form for, each once, by name or kind: requests go without them. */
  unsentTools(tools: readonly ToolSpec[]): readonly string[];
  encodeRequest(request: ModelRequest, compat: Compat): RequestText;
  /** A decoder of one response. Wires that know functions only need the request to tell which tool a function stands for. */
  decodeStream(request?: ModelRequest): StreamDecoder;
  /** Whether a body that is not a stream is a whole answer, and not an error or a page. */
  isWholeAnswer(text: string): boolean;
}

/** The header that holds a key. A credential with a scheme of its own is sent as `authorization` instead. */
export interface CredentialHeader {
  readonly name: string;
  /** The word before the key. */
  readonly scheme?: string;
}

/** The kinds of tools that a wire has a form of its own for. It sends the others as functions, or not at all. */
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
  /** The value of `data`, where somebody has parsed it already. */
  readonly json?: unknown;
  /** Of a frame that is a further piece of the answer's text, and says nothing else that the frame before it did not: that piece. */
  readonly text?: string;
  /** Where it stands for several of the same kind that came together: these, as the text of an event stream. */
  readonly stream?: string;
}

/** The way in which frames follow each other in the bytes of a response. */
export interface Framing {
  /** Returns a reader of one response. */
  createReader(maxFrameChars?: number): FrameReader;
  /** Returns frames as the text to send. */
  write(frames: readonly Frame[]): string;
  /** The type of a body in this framing. */
  readonly contentType: string;
  /** The types of bodies that a client asks for. */
  readonly accept: string;
  /** The text behind each frame. */
  readonly separator: string;
  /** A text that says nothing, sent between frames to show that the connection is alive. Empty where there is none. */
  readonly ping: string;
  /** Whether a body that begins with this text is a stream, whatever its type says. */
  begins(text: string): boolean;
}

/** Turns the bytes of one response, cut anywhere, into frames. Throws `ModelError` when a frame grows beyond all measure. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** The first step of `push`: the text of the bytes, except for the end of a character that is not whole yet. */
  textOf(bytes: Uint8Array): string;
  /** The second step of `push`: the frames of a text. */
  framesOf(text: string): readonly Frame[];
  /** Whether the next text begins a frame. */
  readonly isBetween: boolean;
  /** Returns the last frame of a body that ends without what should stand behind a frame. */
  end(): readonly Frame[];
}

/** Frames that were taken together. */
export interface FrameRun {
  /** Stands for all of them. */
  readonly frame: Frame;
  /** Where they end in the text. */
  readonly end: number;
}

/**
 * Repairs the frames of one response before they are decoded. A frame that needs nothing comes out with the data it came
 * with; what cannot be told yet is held back, as little of it as possible. Never throws.
 */
export interface StreamRepair {
  push(frame: Frame): readonly Frame[];
  /**
   * Takes all frames at the beginning of an event stream's text that are running text and need nothing, for those who can do with
   * one frame instead of them. Undefined where there are none.
   */
  run?(text: string): FrameRun | undefined;
  /** What the end of the connection leaves to say. */
  end(): readonly Frame[];
}

export interface StreamDecoder {
  /** What a frame says; nothing for frames that are no one's business. Never throws. */
  push(frame: Frame): readonly ModelEvent[];
  /**
   * What the end of the connection says. A stream that had not said that it was finished is broken: the last event is
   * then `failed` with the code `stream_closed`.
   */
  end(): readonly ModelEvent[];
}

export interface StreamEncoder {
  push(event: ModelEvent): readonly Frame[];
}

export interface EncodeStreamOptions {
  readonly model: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Whether the client asked for the usage at the end of a stream; wires where it is always there pass over this. */
  readonly includeUsage?: boolean;
  /**
   * Raw reasoning is told as a summary and sealed into the item, for clients that show summaries and bring back only
   * what they know; wires without items pass over this.
   */
  readonly sealReasoning?: boolean;
  /** What the response object repeats of the request; wires without such an object pass over this. */
  readonly repeated?: Readonly<Record<string, unknown>>;
}

/**
 * How a server differs from the protocol: named settings, data of its provider. Only what the server's own stream
 * cannot tell is a setting.
 */
export interface Compat extends RequestCompat {
  /** Where the base instructions go: the field of that name, or the first developer item. */
  readonly instructions: 'field' | 'item';
  readonly parallelToolCalls: boolean;
  /**
   * Reasoning inside of the text. `tags`: between think tags at the beginning of the answer. `open`: the answer begins
   * inside of it, only the closing tag comes. `text`: tags are text.
   */
  readonly thinking: 'tags' | 'open' | 'text';
  /** Whether calls that a server left in the text are found there. */
  readonly textCalls: boolean;
  /** Whether the server escapes arguments as HTML. */
  readonly htmlEntities: boolean;
  /** The ids of calls that the server takes: any, or nine letters and digits. */
  readonly callIds: 'any' | 'nine';
  /** Whether earlier reasoning goes back to the server: that of this turn, all of it, none. */
  readonly sendReasoning: 'turn' | 'all' | 'none';
  /** `object`: outputs of calls are sent as `{content, success}`. Only the responses wire has a place for that. */
  readonly toolOutput: 'plain' | 'object';
}

/** What a server refuses of requests that others take. The defaults change nothing. */
export interface RequestCompat {
  /** What the role of developers is called. */
  readonly developerRole: 'developer' | 'system';
  /** `one`: a single system message, at the beginning. Later ones become texts of the user, with a label. */
  readonly systemMessages: 'any' | 'one';
  /** Whether no two messages of one role may follow each other, those of tools excepted, and none of the user a tool's. */
  readonly alternateRoles: boolean;
  /**
   * Fields that are left out, as paths such as `store` or `messages.*.reasoning_content`; `tool_calls.*.name` stands for
   * `messages.*.tool_calls.*.name`. What a request cannot be without stays; lists of tools and calls go when empty.
   */
  readonly dropFields: readonly string[];
  /** Under which name a chat request limits the tokens of its answer. */
  readonly maxTokens: 'as_sent' | 'max_tokens' | 'max_completion_tokens';
  /** `auto`: nothing may be forced. `omit`: the field is unwanted. */
  readonly toolChoice: 'any' | 'auto' | 'omit';
  /** `strict`: the calls of a response together, their results right behind them in the same order, one for each. */
  readonly toolOrder: 'as_sent' | 'strict';
  /** The content of chat messages that hold calls and no text. */
  readonly emptyContent: 'as_sent' | 'null' | 'empty' | 'omit' | 'space';
  /** `user`: only users may show images, so those of results follow in a message of the user. */
  readonly toolImages: 'as_sent' | 'user';
  readonly schemas: readonly SchemaLimit[];
  /** `plain`: at most 64 letters, digits, underscores and dashes. */
  readonly toolNames: 'any' | 'plain';
  /** How many stop words a chat request may have; null for any number. */
  readonly maxStops: number | null;
}

/**
 * What JSON schemas may not hold. `typed_branches`: a type beside branches; it belongs inside of them. `plain`: anything
 * but the basic keywords. `no_patterns`: patterns and formats of texts.
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
};

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
