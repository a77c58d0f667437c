import type { Usage } from '../base/usage.ts';

/** Answer of a scripted model to one request: its parts in order, then the ending that the options name. */
export interface Reply {
  readonly kind: 'reply';
  readonly parts: readonly ReplyPart[];
  readonly options: ReplyOptions;
}

/** A part that becomes an item of the response, or an event between items. */
export type ReplyPart = SayPart | ThinkPart | CallPart | CustomCallPart | RawPart | PausePart | GatePart;

/** A text of the model. */
export interface SayPart {
  readonly kind: 'say';
  readonly text: string;
}

/** Reasoning of the model. */
export interface ThinkPart {
  readonly kind: 'think';
  /** Summary, one text for each section. */
  readonly summary: readonly string[];
  readonly raw?: string;
  readonly encrypted?: string;
}

/** A call with arguments in JSON. */
export interface CallPart {
  readonly kind: 'call';
  readonly name: string;
  /** Supported by Responses only. */
  readonly namespace?: string;
  readonly arguments: string;
  readonly callId?: string;
}

/** A call with a free text as its input. */
export interface CustomCallPart {
  readonly kind: 'custom_call';
  readonly name: string;
  readonly input: string;
  readonly callId?: string;
}

/** A frame that is sent as it is. */
export interface RawPart {
  readonly kind: 'raw';
  readonly data: string;
  readonly event?: string;
}

/** A point at which the server waits for a time. */
export interface PausePart {
  readonly kind: 'pause';
  readonly ms: number;
}

/** A point at which the server waits for a promise. */
export interface GatePart {
  readonly kind: 'gate';
  readonly until: Promise<unknown>;
}

/** Options of a reply. */
export interface ReplyOptions {
  /** Tokens of the reply. Missing counts come from `SCRIPTED_USAGE`. The default total is the sum. */
  readonly usage?: Partial<Usage>;
  readonly omitUsage?: boolean;
  /** False when the model wants another request although it made no call. */
  readonly endTurn?: boolean;
  /** Reason for which the response ends as incomplete. */
  readonly incomplete?: string;
  /** Error with which the response ends as failed. */
  readonly failed?: { readonly code: string; readonly message: string };
  /** Finish reason of a response on wires that have one, regardless of the parts. Null for none. */
  readonly finishReason?: string | null;
  /** Id of the response, instead of the server's next one. */
  readonly id?: string;
}

/** Tokens of a reply without `usage`. */
export const SCRIPTED_USAGE: Usage = {
  inputTokens: 100,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 20,
  reasoningOutputTokens: 0,
  totalTokens: 120,
};

/** Returns a reply of these parts. Options may come last. */
export function reply(...args: readonly ReplyPart[] | readonly [...ReplyPart[], ReplyOptions]): Reply {
  const list: readonly (ReplyPart | ReplyOptions)[] = args;
  const parts = list.filter(isPart);
  const options = list.find((arg): arg is ReplyOptions => !isPart(arg));
  return { kind: 'reply', parts, options: options ?? {} };
}

/** Returns a message of the assistant, streamed word by word. */
export function say(text: string): SayPart {
  return { kind: 'say', text };
}

/** Returns reasoning: its summary, as one text or as sections, and the fields that a server may add to it. */
export function think(
  summary: string | readonly string[],
  options: { readonly raw?: string; readonly encrypted?: string } = {},
): ThinkPart {
  return { kind: 'think', summary: typeof summary === 'string' ? [summary] : summary, ...options };
}

/** Returns a function call. A string is sent as it is, so that a test can send invalid JSON. */
export function call(
  name: string,
  args: object | string,
  options: Pick<CallPart, 'callId' | 'namespace'> = {},
): CallPart {
  return { kind: 'call', name, arguments: typeof args === 'string' ? args : JSON.stringify(args), ...options };
}

/** Returns a call of a custom tool, whose input is free text. */
export function customCall(name: string, input: string, options: { readonly callId?: string } = {}): CustomCallPart {
  return { kind: 'custom_call', name, input, ...options };
}

/** Returns a frame as it is. An object is serialised, and its `type` is the default name of the event. */
export function raw(data: object | string, options: { readonly event?: string } = {}): RawPart {
  if (typeof data === 'string') return { kind: 'raw', data, ...options };
  const named = 'type' in data && typeof data.type === 'string' ? { event: data.type } : {};
  return { kind: 'raw', data: JSON.stringify(data), ...named, ...options };
}

/** Waits in the middle of the stream. */
export function pause(ms: number): PausePart {
  return { kind: 'pause', ms };
}

/** Waits in the middle of the stream until the promise settles, perhaps forever. */
export function gate(until: Promise<unknown>): GatePart {
  // The promise may reject long before the stream reaches it.
  until.catch(() => {});
  return { kind: 'gate', until };
}

function isPart(arg: ReplyPart | ReplyOptions): arg is ReplyPart {
  return 'kind' in arg;
}
