import type { AdaptRules } from '../../adapt/adapt-rules.ts';
import type { ModelError } from '../../base/errors.ts';
import type { ResponseStore, StoredResponse } from '../../base/response-store.ts';
import type { Usage } from '../../base/usage.ts';
import type { Compat, EncodeStreamOptions, Frame } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import type { ClientError } from './client-error.ts';
import type { FinishedResponse, Translator } from './translator.ts';

/** The part of a wire that only a gateway needs, besides the codec. */
export interface EdgeWire {
  readonly routes: readonly EdgeRoute[];

  /** Reads what every request says. */
  readRequest(body: Fields): ReadRequest;
  /** Whether a request has tools that few servers of this wire know: others than functions. */
  hasRareTools(body: Fields): boolean;
  /**
   * Returns the body of a request for a server of the same wire: edited, not encoded anew. Returns the very body where the
   * server takes it as it is; fields that are only added stand behind all others.
   */
  editRequest(body: Fields, options: EditOptions): Fields;
  /** Returns the body without reasoning that only the server that sealed it can open; the same body where it has none. */
  withoutSealed(body: Fields): Fields;
  /** How requests are changed for servers that refuse them as they are; absent where they are sent as they are. */
  readonly adapt?: AdaptRules;

  /** Passes the frames of a server of this wire on to a client of this wire. */
  passThrough(options: PassOptions): Translator;
  /** Returns how an answer to a request is encoded. */
  encoding(original: Fields, common: CommonEncoding): EncodeStreamOptions;
  /** Returns the usage in a whole answer. */
  readUsage(body: Fields): Usage | null;
  inspect(frame: Frame): FrameKind;
  /**
   * Returns a function that leaves out all calls of one response but the first. It takes the value of a frame, or a whole
   * answer, and returns undefined where nothing is left of it.
   */
  firstCallOnly(): (value: Fields) => Fields | undefined;
  /** Returns an id for a response that the gateway itself names. */
  responseId(uuid: string): string;

  /** Returns the body of an answer that is an error. */
  errorBody(error: ClientError): unknown;
  /** Whether clients that wait for a stream understand an error with this code only inside of one. */
  reportedInStream(code: string | null): boolean;
  /** Responses that clients may refer to later; absent where there is no such thing. */
  readonly stored?: StoredRules;
}

/** A path that a gateway answers. */
export type EdgeRoute = ExchangeRoute | OwnRoute;

/** A path of requests for the model. */
export interface ExchangeRoute {
  readonly type: 'exchange';
  readonly method: 'POST';
  readonly path: string;
}

/** A path that the wire answers itself. */
export interface OwnRoute {
  readonly type: 'own';
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As in `/v1/responses/:id`: a part with a colon stands for any text without a slash. A `/v1` at its beginning may be left out. */
  readonly path: string;
  /** Returns the body of the answer, which is sent as JSON. Throws `ClientError`. */
  answer(request: RouteRequest, gateway: RouteGateway): Promise<unknown>;
}

export interface RouteRequest {
  /** The texts in the path, by the names in the pattern. */
  readonly params: Readonly<Record<string, string>>;
  /** Without its question mark. */
  readonly query: string;
  /** Reads the body, a JSON object. Throws `ClientError`. */
  body(): Promise<Fields>;
}

export interface RouteGateway {
  readonly store: ResponseStore;
  /** Returns the models that clients may ask for, each with its `id`. */
  models(): Promise<readonly Fields[]>;
}

export interface ReadRequest {
  /** The name by which the client calls the model; not checked yet. */
  readonly model: unknown;
  readonly stream: boolean;
  /** Whether the client wants to know the usage at the end of a stream. */
  readonly includeUsage: boolean;
}

export interface EditOptions {
  /** The name of the model at the server. */
  readonly model: string;
  readonly stream: boolean;
  readonly compat: Compat;
}

export type CommonEncoding = Required<Pick<EncodeStreamOptions, 'model' | 'createdAt' | 'includeUsage'>>;

/**
 * The kind of a frame. `speaks`: it has a part of the answer. `failure`: the response failed, and more frames may follow.
 * `end`: the response is over, and later frames do not count.
 */
export type FrameKind = 'speaks' | 'failure' | 'end' | 'other';

export interface PassOptions {
  /** Whether the client wants to know the usage at the end of a stream. */
  readonly includeUsage: boolean;
  /** Whether the response is to be kept. */
  readonly store: boolean;
  /** The id for a response that its server does not name. */
  readonly responseId: string;
  /** Takes secrets out of what the server says. */
  readonly redact: (text: string) => string;
  readonly failures: FailureMapping;
}

/** How failures of servers are told to clients. */
export interface FailureMapping {
  /** Returns a failure that the server reported inside of its answer. */
  toModelError(failure: { readonly code: string | null; readonly message: string }): ModelError;
  toClientError(error: ModelError): ClientError;
}

export interface StoredRules {
  /** Whether a request wants its response to be kept. */
  isKept(body: Fields): boolean;
  /** Returns the id of the response that a request goes on with. */
  previousId(body: Fields): string | undefined;
  /** Returns the request with the thread that it goes on with in front of its input. */
  expand(body: Fields, previous: StoredResponse): Fields;
  /** Returns a whole answer as a store keeps it; undefined for one that no client could refer to. */
  finishedIn(body: Fields): FinishedResponse | undefined;
  /** Returns the response that the last of these frames holds. */
  finishedBy(frames: readonly Frame[]): FinishedResponse | undefined;
}
