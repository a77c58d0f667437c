import type { ModelError } from './errors.ts';
import type { Item } from './item.ts';
import type { Repair } from './repair.ts';
import type { ToolSpec } from './tool.ts';
import type { Usage } from './usage.ts';

/** One call of the model, before any wire has encoded it. */
export interface ModelRequest {
  readonly model: string;
  /** Base instructions; empty when they are an item of the input. */
  readonly instructions: string;
  readonly input: readonly Item[];
  /** Ids of calls that failed, for servers that are told so beside the output. */
  readonly failedCalls?: ReadonlySet<string>;
  /** The same array object in consecutive requests as long as the tools do not change: encoders cache by identity. */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly reasoning: { readonly effort?: string; readonly summary?: string };
  readonly text?: { readonly verbosity?: string; readonly schema?: OutputSchema };
  /** Whether the server may keep the response. */
  readonly store: boolean;
  readonly include: readonly string[];
  readonly cacheKey?: string;
  /** What a client asked for beyond what the agent uses. Each wire sends what it has a field for. */
  readonly sampling?: Sampling;
  /** The response whose thread this goes on with, for those who keep responses. */
  readonly previousResponseId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly serviceTier?: string;
  readonly user?: string;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly type: 'function' | 'custom'; readonly name: string };

export interface OutputSchema {
  readonly name: string;
  readonly strict: boolean;
  readonly schema: unknown;
  readonly description?: string;
  /** Any object at all will do. Protocols have a format of its own for that, without a schema. */
  readonly anyObject?: true;
}

/**
 * What a response says while it streams, whatever the wire. Order: `created`, then for each item `item.started`, its
 * deltas, `item.done`; last, exactly one of `completed`, `incomplete` and `failed`.
 */
export type ModelEvent =
  | { readonly type: 'created'; readonly responseId: string }
  | { readonly type: 'item.started'; readonly item: StartedItem }
  | { readonly type: 'text.delta'; readonly itemId: string; readonly delta: string }
  | {
      readonly type: 'reasoning.delta';
      readonly itemId: string;
      readonly kind: 'summary' | 'raw';
      readonly delta: string;
    }
  /** A new section of a reasoning summary begins. */
  | { readonly type: 'reasoning.section'; readonly itemId: string }
  | { readonly type: 'input.delta'; readonly itemId: string; readonly delta: string }
  /** The item is complete and authoritative, whatever the deltas said. A call may run from here on. */
  | { readonly type: 'item.done'; readonly item: Item }
  | {
      readonly type: 'completed';
      readonly responseId: string;
      readonly usage: Usage | null;
      /** False: the model wants another request although it called nothing. */
      readonly endTurn: boolean | null;
    }
  | { readonly type: 'incomplete'; readonly responseId: string; readonly reason: string; readonly usage: Usage | null }
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

/** An event of a response, or word of something broken in it that was repaired. */
export type StreamedEvent = ModelEvent | { readonly type: 'repair'; readonly repair: Repair };

/** What is known of an item when it begins. */
export interface StartedItem {
  readonly type: Item['type'];
  readonly id: string;
  /** Calls only. */
  readonly name?: string;
  readonly namespace?: string;
  readonly callId?: string;
}

/** A way to reach a model: one provider, one wire. */
export interface Model {
  /**
   * Sends a request and gives its events as they come. Retries what may be retried before the first event. Throws
   * `ModelError` and nothing else; after a throw the response counts as broken, whatever came before.
   */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<StreamedEvent>;
  /** No request is expected soon: lets go of what only serves one that follows another. */
  rest?(): void;
  /** How often a broken response is asked for again. */
  readonly maxStreamRetries: number;
  /** How long to wait before retry `attempt` (1, 2, …). */
  retryDelayMs(attempt: number, error: ModelError): number;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly turnId: string;
  /** What the exchange took is added here, whatever comes of it. */
  readonly meter?: Meter;
}

export interface Meter {
  sentBytes: number;
  receivedBytes: number;
  /** How often it was sent again. */
  retries: number;
}
