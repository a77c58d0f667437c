import type { Expected, ExpectedField, Quirk } from './read-corpus.mjs';

/** One file of sections G and H: something that servers refuse or that is lost between two wires, and cases of it. */
export interface ExchangeQuirk extends Omit<Quirk, 'cases'> {
  readonly cases: readonly ExchangeCase[];
}

/** A client's request, what the server behind the gateway takes and answers, and what the client must get. */
export interface ExchangeCase {
  readonly name: string;
  readonly says: string;
  readonly client: 'chat' | 'responses';
  readonly server: 'chat' | 'responses';
  /** What the client calls the model. */
  readonly model?: string;
  /**
   * Settings, named as in config.toml, under which the request is right at once. Without them the server refuses it, and
   * the gateway learns. A case without settings must never be refused.
   */
  readonly compat?: Readonly<Record<string, unknown>>;
  readonly refuses?: readonly Refusal[];
  /** Without model and stream. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Of the request that the server answers. */
  readonly expect_request?: readonly ExpectedField[];
  /** Ids that the report of the exchange names. */
  readonly adaptations?: readonly string[];
  /** What the server says, on its own wire; a short text by default. */
  readonly answer?: PlainAnswer;
  readonly frames?: readonly (string | { readonly event: string; readonly data: string })[];
  readonly body?: string;
  /** By default the text, and no repair. */
  readonly expect?: ExpectedAnswer;
  /** Of a response that came to its end, as a whole. */
  readonly expect_response?: readonly ExpectedField[];
  readonly next?: NextRequest;
}

export type ExpectedAnswer = Omit<Expected, 'repairs'> & {
  readonly repairs?: readonly string[];
  readonly status?: number;
};

export interface Refusal {
  readonly when: Condition;
  readonly status: number;
  readonly body: object;
}

/**
 * Holds when some value at a place (`*` is any entry, `**` anything below) is there and as it says, when two that follow
 * each other are the same, or when calls and results are out of order.
 */
export type Condition =
  | {
      readonly any: string;
      readonly is?: unknown;
      readonly not?: readonly unknown[];
      readonly not_matches?: string;
      readonly like?: Readonly<Record<string, unknown>>;
      readonly says?: string;
      readonly has?: readonly string[];
      readonly more_than?: number;
      readonly after_first?: true;
    }
  | { readonly repeats: string }
  | { readonly tool_order: true };

/** An answer without a fault, whatever the wire. */
export interface PlainAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly {
    readonly id: string;
    /** Or what stands at a place of the request. */
    readonly name: string | { readonly at: string };
    readonly arguments: string;
  }[];
  /** Why it was cut off. */
  readonly incomplete?: string;
  readonly usage?: { readonly input: number; readonly output: number };
}

/** The request that follows: with the answer in its history and each call answered with `ok`. */
export interface NextRequest {
  /** With the id of the response in the place of the history. */
  readonly previous?: true;
  readonly input?: unknown;
  readonly expect_request: readonly ExpectedField[];
}

export function readExchanges(): ExchangeQuirk[];
