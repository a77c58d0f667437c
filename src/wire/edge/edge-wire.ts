import type { AdaptRules } from '../../adapt/adapt-rules.ts';
import type { ModelError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEntry } from '../../base/model-entry.ts';
import type { ResponseStore, StoredResponse } from '../../base/response-store.ts';
import type { Usage } from '../../base/usage.ts';
import type { Compat, EncodeStreamOptions, Frame } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import type { ClientError } from './client-error.ts';
import type { FinishedResponse, Translator } from './translator.ts';

/** The part of a wire that only a gateway needs, in addition to the codec. */
export interface EdgeWire {
  readonly routes: readonly EdgeRoute[];
  /** Names of the headers of a client's request that a server of the same wire gets too, in lower case. */
  readonly passedHeaders?: readonly string[];
  /** Reports whether a request to a path that several wires share comes from a client of this wire. */
  isClient?(header: ReadHeader): boolean;
  /** Returns the answer to `GET /v1/models`, for clients of this wire. Each model has its `id`. */
  modelList?(models: readonly Fields[]): unknown;
  /** Returns the answer to `GET /v1/models/NAME`, for clients of this wire. */
  modelEntry?(model: Fields): unknown;

  /** Reads the fields that every request has. */
  readRequest(body: Fields): ReadRequest;
  /**
   * Returns the answer to a request that asks the model nothing; undefined for any other request. Only a server of the
   * same wire gets such a request. `createdAt` is in seconds since 1970.
   */
  emptyAnswer?(body: Fields, createdAt: number): Fields | undefined;
  /**
   * Throws `ClientError` for a request that no server of another wire can answer as it is meant. Absent if there are no
   * such requests.
   */
  assertPortable?(body: Fields): void;
  /** Reports whether a request has tools other than functions. Few servers of this wire know those. */
  hasRareTools(body: Fields): boolean;
  /**
   * Edits the body of a request for a server of the same wire, without encoding it again. Returns the same body if the
   * server accepts it unchanged. Added fields come last.
   */
  editRequest(body: Fields, options: EditOptions): Fields;
  /** Removes reasoning that only the server that sealed it can open. Returns the same body if there is none. */
  withoutSealed(body: Fields): Fields;
  /** Rules for changing requests that a server refuses. Absent if the wire has none. */
  readonly adapt?: AdaptRules;

  /** Returns a translator from a server of this wire to a client of this wire. */
  passThrough(options: PassOptions): Translator;
  /** Returns the options for encoding the answer to a request. */
  encoding(original: Fields, common: CommonEncoding): EncodeStreamOptions;
  /**
   * Returns a whole answer of a server with the repairs of its frames. Fields that no repair touched stay as they came.
   * Undefined if the answer has to be encoded anew.
   */
  repairedBody?(answer: Fields, frames: readonly Frame[]): Fields | undefined;
  /**
   * Returns the value of a frame or a whole answer with the name of another model. Absent if no client of this wire
   * compares the name with the one that it asked for.
   */
  withModel?(value: Fields, model: string): Fields;
  /** Returns the usage in a whole answer. */
  readUsage(body: Fields): Usage | null;
  inspect(frame: Frame): FrameKind;
  /** Returns the number of calls that a frame begins. Absent: the calls of this wire are not logged. */
  callsIn?(frame: Frame): number;
  /**
   * Returns a function that drops all calls of one response except the first. The function accepts the value of a frame
   * or a whole answer, and returns undefined if nothing is left.
   */
  firstCallOnly(): (value: Fields) => Fields | undefined;
  /** Returns an id for a response that the gateway names. */
  responseId(uuid: string): string;

  /** Returns the body of an error answer. */
  errorBody(error: ClientError): unknown;
  /** Reports whether clients of a stream understand an error with this code only inside the stream. */
  reportedInStream(code: string | null): boolean;
  /** Rules for responses that clients may refer to later. Absent if the wire has no such responses. */
  readonly stored?: StoredRules;
}

/** A function that returns the value of a header of a request. Names are in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/** A path that a gateway answers. */
export type EdgeRoute = ExchangeRoute | OwnRoute;

/** A path for requests to the model. */
export interface ExchangeRoute {
  readonly type: 'exchange';
  readonly method: 'POST';
  readonly path: string;
}

/** A path that the wire answers itself. */
export interface OwnRoute {
  readonly type: 'own';
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * Pattern such as `/v1/responses/:id`. A segment with a colon matches any text without a slash. Clients may leave out
   * a leading `/v1`.
   */
  readonly path: string;
  /** Whether the answer is a string, which is sent as it is. */
  readonly isText?: true;
  /** Returns the body of the answer, which is sent as JSON. Throws `ClientError`. */
  answer(request: RouteRequest, gateway: RouteGateway): Promise<unknown>;
}

export interface RouteRequest {
  /** Texts from the path, by their names in the pattern. */
  readonly params: Readonly<Record<string, string>>;
  /** Query without the question mark. */
  readonly query: string;
  /** Reads the body, a JSON object. Throws `ClientError`. */
  body(): Promise<Fields>;
}

export interface RouteGateway {
  readonly store: ResponseStore;
  /** Returns the models that clients may ask for, each with its `id`. */
  models(): Promise<readonly Fields[]>;
  /** Returns the facts about a model that are known here; undefined if there is no such model. */
  factsOf(model: string): ModelEntry | undefined;
  /**
   * Reports whether there may be a model with one of these names: one of the configuration, one that the default server
   * lists, or any where that server lists none. Throws `ClientError` for a name that may mean several models.
   */
  isServed(names: readonly string[]): Promise<boolean>;
  /**
   * Sends a request to a path below the base URL of a model's server, if that server is likely to speak the wire of the
   * route.
   * Returns the body of its answer; undefined if there is none.
   */
  forward(path: string, model: string, body: Fields): Promise<Fields | undefined>;
}

export interface ReadRequest {
  /** Name of the model as the client sent it, not yet checked. */
  readonly model: unknown;
  readonly stream: boolean;
  /** Whether the client wants the usage at the end of a stream. */
  readonly includeUsage: boolean;
}

export interface EditOptions {
  /** Name of the model at the server. */
  readonly model: string;
  readonly stream: boolean;
  readonly compat: Compat;
}

export type CommonEncoding = Required<Pick<EncodeStreamOptions, 'model' | 'createdAt' | 'includeUsage'>>;

/**
 * The kind of a frame. `speaks`: the frame has a part of the answer. `failure`: the response failed, and more frames
 * may follow. `end`: the response is over, and later frames are ignored.
 */
export type FrameKind = 'speaks' | 'failure' | 'end' | 'other';

export interface PassOptions {
  /** Whether the client wants the usage at the end of a stream. */
  readonly includeUsage: boolean;
  /** Whether the response is stored. */
  readonly store: boolean;
  /** Id for a response that its server does not name. */
  readonly responseId: string;
  /** Name of the model that the client asked for, if the server knows it by another name. */
  readonly renamedModel?: string | undefined;
  /** Options for encoding frames that the server left out. */
  readonly encoding: EncodeStreamOptions;
  /** Removes secrets from a text of the server. */
  readonly redact: (text: string) => string;
  readonly failures: FailureMapping;
}

/** Conversions of a server's failures. */
export interface FailureMapping {
  /** Returns the error for a failure that the server reported inside its answer. */
  toModelError(failure: { readonly code: string | null; readonly message: string }): ModelError;
  toClientError(error: ModelError): ClientError;
}

export interface StoredRules {
  /** Reports whether a request wants its response to be stored. */
  isKept(body: Fields): boolean;
  /** Returns the id of the response that a request continues. */
  previousId(body: Fields): string | undefined;
  /** Returns the request with the thread that it continues in front of its input. */
  expand(body: Fields, previous: StoredResponse): Fields;
  /** Returns the ids of items that a request only refers to. */
  referredIds(body: Fields): readonly string[];
  /** Returns the request with items in the place of references. A reference stays if its id has no item. */
  resolve(body: Fields, items: ReadonlyMap<string, Item>): Fields;
  /** Returns a whole answer in the form for a store; undefined if no client could refer to it. */
  finishedIn(body: Fields): FinishedResponse | undefined;
  /** Returns the response that the last of these frames holds. */
  finishedBy(frames: readonly Frame[]): FinishedResponse | undefined;
}
