import type { ModelError } from './errors.ts';
import type { Item } from './item.ts';
import type { Repair } from './repair.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { ToolSpec } from './tool.ts';
import type { Usage } from './usage.ts';

/** One call of the model, before a wire encodes it. */
export interface ModelRequest {
  readonly model: string;
  /** Base instructions. Empty if they are an item of the input. */
  readonly instructions: string;
  readonly input: readonly Item[];
  /** Ids of failed calls. Some servers get this fact next to the output. */
  readonly failedCalls?: ReadonlySet<string>;
  /**
   * Tools of the request. The same array object in consecutive requests as long as the tools do not change, because
   * encoders cache by identity.
   */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly reasoning: { readonly effort?: string; readonly summary?: string };
  readonly text?: { readonly verbosity?: string; readonly schema?: OutputSchema };
  /** Whether the server may keep the response. */
  readonly store: boolean;
  readonly include: readonly string[];
  readonly cacheKey?: string;
  /**
   * Sampling settings of a client, which the agent itself does not use. Each wire sends the settings that it has a
   * field for.
   */
  readonly sampling?: Sampling;
  /** Number of tokens that the server loads the model for. Only some wires send it. */
  readonly contextWindow?: number;
  /**
   * Text that ids of items in the response are made of. No other response has it. Absent: the server's id of the
   * response is used.
   */
  readonly itemKey?: string;
  /** The stored response that this request continues, for wires that store responses. */
  readonly previousResponseId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Settings of the choice of tokens. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly serviceTier?: string;
  readonly user?: string;
}

/** The calls that a response may contain. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly type: 'function' | 'custom'; readonly name: string };

/** The JSON schema of an answer. */
export interface OutputSchema {
  readonly name: string;
  readonly strict: boolean;
  readonly schema: unknown;
  readonly description?: string;
  /** Whether any object fits. Protocols have a format of its own for that, without a schema. */
  readonly anyObject?: true;
}

/**
 * An event of a streamed response, the same for every wire. Order: `created`, then for each item `item.started`, its
 * deltas, `item.done`; last, exactly one of `completed`, `incomplete` and `failed`.
 */
export type ModelEvent =
  | { readonly type: 'created'; readonly responseId: string }
  | { readonly type: 'item.started'; readonly item: StartedItem }
  | {
      readonly type: 'text.delta';
      readonly itemId: string;
      readonly delta: string;
      /** Whether the text is a refusal. */
      readonly refusal?: true;
    }
  | {
      readonly type: 'reasoning.delta';
      readonly itemId: string;
      readonly kind: 'summary' | 'raw';
      readonly delta: string;
    }
  /** A new section of a reasoning summary begins. */
  | { readonly type: 'reasoning.section'; readonly itemId: string }
  | { readonly type: 'input.delta'; readonly itemId: string; readonly delta: string }
  /** The item is complete. It is authoritative, even if its deltas differ. A call may run from here on. */
  | { readonly type: 'item.done'; readonly item: Item }
  | {
      readonly type: 'completed';
      readonly responseId: string;
      readonly usage: Usage | null;
      /** False if the model wants another request although it called nothing. */
      readonly endTurn: boolean | null;
      /** The text of the request's `stop` at which the model stopped, if it did and the server says so. */
      readonly stoppedAt?: string;
    }
  | { readonly type: 'incomplete'; readonly responseId: string; readonly reason: string; readonly usage: Usage | null }
  | {
      readonly type: 'failed';
      readonly code: string | null;
      readonly message: string;
      /** Whether the server reported an error and then ended the stream without an end of the response. */
      readonly unfinished?: true;
    };

/** An event of a response, or the report of a repair in it. */
export type StreamedEvent = ModelEvent | { readonly type: 'repair'; readonly repair: Repair };

/** Facts about an item that are known when it begins. */
export interface StartedItem {
  readonly type: Item['type'];
  readonly id: string;
  /** Only for calls, like the next two fields. */
  readonly name?: string;
  readonly namespace?: string;
  readonly callId?: string;
}

/** A way to reach a model: one provider, one wire. */
export interface Model {
  /**
   * Sends a request and yields its events as they come. Retries failures before the first event, where a retry may
   * help. Throws `ModelError` and nothing else. After a throw the response counts as broken, even if events came
   * before.
   */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<StreamedEvent>;
  /** Frees resources that only serve a following request, because no request is expected soon. */
  rest?(): void;
  /** Number of times a broken response is requested again. */
  readonly maxStreamRetries: number;
  /**
   * Number of times that requests for one response are sent again in all, also after failures before the first event.
   * Without it `maxStreamRetries` counts.
   */
  readonly maxRetries?: number;
  /** Returns the time to wait before retry `attempt` (1, 2, …). */
  retryDelayMs(attempt: number, error: ModelError): number;
}

/** Options of one request. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly turnId: string;
  /**
   * Limits the retries. A caller that requests a broken response again passes the budget of the first request. Without
   * it the model makes a budget of its own.
   */
  readonly budget?: RetryBudget;
  /** Receives the bytes and retries of the exchange, whether it succeeds or fails. */
  readonly meter?: Meter;
  /** Reports something about the model to the user, such as a setting that it does not support. */
  warn?(message: string): void;
}

/** Counters of an exchange, which the model increases. */
export interface Meter {
  sentBytes: number;
  receivedBytes: number;
  /** Number of times the request was sent again. */
  retries: number;
  /** Milliseconds that its attempts waited for a limiter. Absent: none. */
  waitedMs?: number;
  /** Tokens that the answer reported, for the limiter. */
  usage?: Usage;
  /** Time that a failed answer asked to wait, for the limiter. */
  retryAfterMs?: number | undefined;
}
