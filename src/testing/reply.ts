import type { Usage } from '../base/usage.ts';

/** What a scripted model answers to one request: its parts in order, then the ending that the options name. */
export interface Reply {
  readonly kind: 'reply';
  readonly parts: readonly ReplyPart[];
  readonly options: ReplyOptions;
}

/** A part that becomes an item of the response, or something that happens between items. */
export type ReplyPart = SayPart | ThinkPart | CallPart | CustomCallPart | RawPart | PausePart | GatePart;

export interface SayPart {
  readonly kind: 'say';
  readonly text: string;
}

export interface ThinkPart {
  readonly kind: 'think';
  /** One text for each section. */
  readonly summary: readonly string[];
  readonly raw?: string;
  readonly encrypted?: string;
}

export interface CallPart {
  readonly kind: 'call';
  readonly name: string;
  /** Responses only. */
  readonly namespace?: string;
  readonly arguments: string;
  readonly callId?: string;
}

export interface CustomCallPart {
  readonly kind: 'custom_call';
  readonly name: string;
  readonly input: string;
  readonly callId?: string;
}

export interface RawPart {
  readonly kind: 'raw';
  readonly data: string;
  readonly event?: string;
}

export interface PausePart {
  readonly kind: 'pause';
  readonly ms: number;
}

export interface GatePart {
  readonly kind: 'gate';
  readonly until: Promise<unknown>;
}

export interface ReplyOptions {
  /** What is left out comes from `SCRIPTED_USAGE`; the total is the sum unless given. */
  readonly usage?: Partial<Usage>;
  readonly omitUsage?: boolean;
  /** False: the model wants another request although it called nothing. */
  readonly endTurn?: boolean;
  /** The response ends as incomplete, for this reason. */
  readonly incomplete?: string;
  /** The response ends as failed. */
  readonly failed?: { readonly code: string; readonly message: string };
  /** Chat only: the finish signal, whatever the parts are; null for none. */
  readonly finishReason?: string | null;
  /** The id of the response, instead of the next one of the server. */
  readonly id?: string;
}

/** The tokens of a reply that names none. */
export const SCRIPTED_USAGE: Usage = {
  inputTokens: 100,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 20,
  reasoningOutputTokens: 0,
  totalTokens: 120,
};

/** A reply of these parts. Options may stand last. */
export function reply(...args: readonly ReplyPart[] | readonly [...ReplyPart[], ReplyOptions]): Reply {
  const list: readonly (ReplyPart | ReplyOptions)[] = args;
  const parts = list.filter(isPart);
  const options = list.find((arg): arg is ReplyOptions => !isPart(arg));
  return { kind: 'reply', parts, options: options ?? {} };
}

/** A message of the assistant, streamed word by word. */
export function say(text: string): SayPart {
  return { kind: 'say', text };
}

/** Reasoning: its summary, as one text or section by section, and what the server may add to it. */
export function think(
  summary: string | readonly string[],
  options: { readonly raw?: string; readonly encrypted?: string } = {},
): ThinkPart {
  return { kind: 'think', summary: typeof summary === 'string' ? [summary] : summary, ...options };
}

/** A function call. A string is sent as it is, so that a test can send what is not JSON. */
export function call(
  name: string,
  args: object | string,
  options: Pick<CallPart, 'callId' | 'namespace'> = {},
): CallPart {
  return { kind: 'call', name, arguments: typeof args === 'string' ? args : JSON.stringify(args), ...options };
}

/** A call of a custom tool, whose input is free text. */
export function customCall(name: string, input: string, options: { readonly callId?: string } = {}): CustomCallPart {
  return { kind: 'custom_call', name, input, ...options };
}

/** A frame as it is. An object is serialised, and its `type` is the name of the event unless one is given. */
export function raw(data: object | string, options: { readonly event?: string } = {}): RawPart {
  if (typeof data === 'string') return { kind: 'raw', data, ...options };
  const named = 'type' in data && typeof data.type === 'string' ? { event: data.type } : {};
  return { kind: 'raw', data: JSON.stringify(data), ...named, ...options };
}

/** Waits in the middle of the stream. */
export function pause(ms: number): PausePart {
  return { kind: 'pause', ms };
}

/** Waits in the middle of the stream until the promise settles; for ever if it never does. */
export function gate(until: Promise<unknown>): GatePart {
  // It may reject long before the stream comes to it.
  until.catch(() => {});
  return { kind: 'gate', until };
}

function isPart(arg: ReplyPart | ReplyOptions): arg is ReplyPart {
  return 'kind' in arg;
}
