import type { Fields } from '../wire/fields/request-fields.ts';
import type { SchemaEdit } from './schemas/schema-places.ts';
import type { CallRules } from './steps/order-calls.ts';

/** Maps the name of a tool. */
export type Rename = (name: string) => string;

/** A message of any wire. */
export type Message = Fields & { readonly role: string };

/** The build of a wire's requests and answers, as far as requests have to be changed for some servers. */
export interface AdaptRules {
  /** The field of a body that holds the history. */
  readonly history: string;
  /** The field of a body with the text that the system says before the history, where there is one. */
  readonly instructions?: string;

  /** Returns the entry of a history if it is a message. */
  messageOf(entry: unknown): Message | undefined;
  /** Returns a message; a text as its content has the form that a text has on this wire. */
  message(role: string, content: string | readonly unknown[]): Fields;
  /** Returns a text as a part of a content. */
  textPart(role: string, text: string): object;
  /** The fields of messages, besides the content, that are put together when messages become one. */
  readonly joined: { readonly lists: readonly string[]; readonly texts: readonly string[] };
  /** Whether a message holds calls and no text. Absent where messages hold no calls. */
  isCallOnly?(message: Message): boolean;
  /** The fields of messages in which reasoning goes back, first the one that servers ask for. */
  readonly reasoningFields: readonly string[];

  /** Returns how the calls and results of a request are told apart. */
  callRules(body: Fields): CallRules;
  /** Returns the field in which a result holds the tool's output; undefined for an entry that is not a result. */
  resultField(entry: unknown): string | undefined;
  /** Returns the ids of the calls in an entry. */
  callIds(entry: Fields): readonly unknown[];

  /** Returns the entry with the names of tools in it mapped; the same entry where all stay the same. */
  renameEntry(entry: unknown, rename: Rename): unknown;
  /** Returns the value of a frame, or a whole answer, with the names of tools in it mapped. */
  renameAnswer(value: Fields, rename: Rename): Fields;
  /** Returns the request with its schemas edited; the same request where all stay the same. */
  mapSchemas(body: Fields, edit: SchemaEdit): Fields;

  /** Whether the token limit goes by the names of `Compat.maxTokens`. */
  readonly namesTokenLimit: boolean;
  /** The field with stop words, where there is one. */
  readonly stops?: string;

  /** Paths of fields that a request cannot be without, or that its meaning hangs on. */
  readonly needed: ReadonlySet<string>;
  /** Paths of fields that may be left out only when they hold nothing. */
  readonly neededUnlessEmpty: ReadonlySet<string>;
  /** Beginnings of paths that stand for longer ones. */
  readonly shorthands: Readonly<Record<string, readonly string[]>>;
  /** Where fields stand that servers name without their place. */
  readonly places: readonly (readonly string[])[];
}

/** Paths of fields that no request can be without, whatever the wire. */
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
