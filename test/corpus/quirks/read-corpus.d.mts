import type { Item } from '../../../src/base/item.ts';
import type { JsonSchema } from '../../../src/base/json-schema.ts';

/** One file of the corpus: something that servers do, and cases of it. */
export interface Quirk {
  readonly id: string;
  readonly title: string;
  readonly servers: readonly string[];
  readonly sources: readonly string[];
  /** What breaks in clients. */
  readonly consequence: string;
  /** What is right. */
  readonly repair: string;
  readonly cases: readonly Case[];
  /** Why there are no cases. */
  readonly reason?: string;
}

export type CaseWire = 'chat' | 'responses' | 'messages' | 'ollama';

/** A response as a server sent it, and what a client must make of it. */
export interface Case {
  readonly name: string;
  readonly says: string;
  readonly wire: CaseWire;
  readonly request?: CaseRequest;
  /** Settings of the provider, named as in config.toml. */
  readonly compat?: Readonly<Record<string, string | boolean>>;
  readonly status?: number;
  readonly content_type?: string;
  /** What came before the response; by default one message of a user. */
  readonly history?: readonly Item[];
  readonly frames?: readonly (string | { readonly event: string; readonly data: string })[];
  readonly body?: string;
  readonly body_base64?: string;
  readonly expect?: Expected;
  /** Of the request that follows: the response in its history, each call answered with `ok`. */
  readonly expect_request?: readonly ExpectedField[];
}

/** A case on any wire. */
export type AnyCase = Omit<Case, 'wire'> & { readonly wire: string };

export interface CaseRequest {
  readonly tools?: readonly CaseTool[];
  /** Ids of calls that the history already has. */
  readonly call_ids?: readonly string[];
  /** Whether the answer is to be JSON of a schema. */
  readonly json_answer?: boolean;
}

export type CaseTool =
  | { readonly type: 'function'; readonly name: string; readonly parameters: JsonSchema }
  | { readonly type: 'custom'; readonly name: string };

export interface Expected {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls: readonly ExpectedCall[];
  /** Exact, or a regular expression between slashes. */
  readonly call_ids?: readonly string[];
  readonly finish: 'calls' | 'stop' | 'cut' | 'failed';
  /** A regular expression for the message of a failure. */
  readonly error?: string;
  /** Ids of repairs, sorted. None: every frame passes as it came. */
  readonly repairs: readonly string[];
  readonly usage?: { readonly input: number; readonly output: number };
}

export interface ExpectedCall {
  readonly name: string;
  /** A value; a text where the arguments are no JSON. */
  readonly arguments?: unknown;
  /** Of tools that take a text as it is. */
  readonly input?: string;
}

/** What stands at a JSON pointer: this value, a text that matches, nothing, the same as elsewhere, something else. */
export interface ExpectedField {
  readonly path: string;
  readonly is?: unknown;
  readonly matches?: string;
  readonly absent?: true;
  readonly same?: string;
  readonly differs?: string;
}

export function readCorpus(): Quirk[];
export function bodyOf(kase: Pick<Case, 'frames' | 'body' | 'body_base64'>): Buffer;
export function contentTypeOf(kase: Pick<Case, 'content_type'>): string;
