import type { Fields } from '../wire/fields/request-fields.ts';
import type { SchemaEdit } from './schemas/schema-places.ts';
import type { CallRules } from './steps/order-calls.ts';

/** Mapping of a tool name. */
export type Rename = (name: string) => string;

/** A message of any wire. */
export type Message = Fields & { readonly role: string };

/** The structure of a wire's requests and answers, for the steps that change requests for some servers. */
export interface AdaptRules {
  /** Field of a body that holds the history. */
  readonly history: string;
  /** Field of a body with the system's text before the history, if the wire has one. */
  readonly instructions?: string;
  /** Whether that field is the only place for a system's text on servers that accept a single one. */
  readonly onlyInstructions?: true;

  /** Returns the entry of a history if it is a message. */
  messageOf(entry: unknown): Message | undefined;
  /** Returns a message. A text becomes a content in the form of this wire. */
  message(role: string, content: string | readonly unknown[]): Fields;
  /** Returns a text as a part of a content. */
  textPart(role: string, text: string): object;
  /** Fields of messages, besides the content, that are joined when messages are merged. */
  readonly joined: { readonly lists: readonly string[]; readonly texts: readonly string[] };
  /** Reports whether a message holds calls and no text. Absent if messages of this wire hold no calls. */
  isCallOnly?(message: Message): boolean;
  /** Fields of messages that return reasoning to the server. The one that servers ask for comes first. */
  readonly reasoningFields: readonly string[];
  /** Field that says how much the model should think, if models that cannot think refuse it. */
  readonly effort?: string;

  /** Returns the rules that tell calls from results in a request. */
  callRules(body: Fields): CallRules;
  /** Returns the field of a result that holds the tool's output; undefined for an entry that is not a result. */
  resultField(entry: unknown): string | undefined;
  /** Returns the ids of the calls in an entry. */
  callIds(entry: Fields): readonly unknown[];

  /** Returns the entry with its tool names mapped; the same entry if no name changes. */
  renameEntry(entry: unknown, rename: Rename): unknown;
  /** Returns the value of a frame, or a whole answer, with its tool names mapped. */
  renameAnswer(value: Fields, rename: Rename): Fields;
  /** Returns the request with its schemas edited; the same request if no schema changes. */
  mapSchemas(body: Fields, edit: SchemaEdit): Fields;

  /** Fields that limit the tokens of an answer. */
  readonly tokenLimits?: readonly string[];
  /** Whether the fields `thinking` and `output_config` say how the model thinks. */
  readonly saysHowToThink?: true;
  /** Returns a choice of tools that leaves everything to the model. Absent: the text `auto`. */
  freeChoice?(choice: unknown): unknown;
  /** Whether the token limit has one of the names of `Compat.maxTokens`. */
  readonly namesTokenLimit: boolean;
  /** Field with stop words, if the wire has one. */
  readonly stops?: string;

  /** Paths of fields that a request needs, or that its meaning depends on. */
  readonly needed: ReadonlySet<string>;
  /** Paths of fields that may be dropped only if they are empty. */
  readonly neededUnlessEmpty: ReadonlySet<string>;
  /** First steps of paths that stand for longer beginnings. */
  readonly shorthands: Readonly<Record<string, readonly string[]>>;
  /** Places of fields that servers name without a path. */
  readonly places: readonly (readonly string[])[];
}

/** Paths of fields that a request of any wire needs. */
export const NEEDED_EVERYWHERE: readonly string[] = [
  ...['', 'model', 'stream'],
  ...['type', 'name', 'parameters', 'function', 'custom'].map((name) => `tools.*.${name}`),
  ...['name', 'parameters'].map((name) => `tools.*.function.${name}`),
];

/** Places of fields that are the same on every wire. */
export const PLACES_EVERYWHERE: readonly (readonly string[])[] = [
  ['tools', '*'],
  ['tools', '*', 'function'],
  ['stream_options'],
  ['reasoning'],
  ['text'],
];
