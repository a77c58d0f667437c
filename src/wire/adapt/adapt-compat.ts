/**
 * What a server refuses of requests that others take: named settings, data of its provider. The defaults change
 * nothing.
 */
export interface AdaptCompat {
  /** What the role of developers is called. */
  readonly developerRole: 'developer' | 'system';
  /** `one`: a single system message, at the beginning. Later ones become texts of the user, with a label. */
  readonly systemMessages: 'any' | 'one';
  /** Whether no two messages of one role may follow each other, those of tools excepted. */
  readonly alternateRoles: boolean;
  /**
   * Fields that are left out, as paths such as `store` or `messages.*.reasoning_content`; `tool_calls.*.name` stands for
   * `messages.*.tool_calls.*.name`. What a request cannot be without stays; lists of tools and calls go when empty.
   */
  readonly dropFields: readonly string[];
  /** Under which name a chat request limits the tokens of its answer. */
  readonly maxTokens: 'as_sent' | 'max_tokens' | 'max_completion_tokens';
  /** `auto`: nothing may be forced. `omit`: the field is unwanted. */
  readonly toolChoice: 'any' | 'auto' | 'omit';
  /** `strict`: the calls of a response together, their results right behind them in the same order, one for each. */
  readonly toolOrder: 'as_sent' | 'strict';
  /** The content of chat messages that hold calls and no text. */
  readonly emptyContent: 'as_sent' | 'null' | 'empty' | 'omit' | 'space';
  /** `user`: only users may show images, so those of results follow in a message of the user. */
  readonly toolImages: 'as_sent' | 'user';
  readonly schemas: readonly SchemaLimit[];
  /** `plain`: at most 64 letters, digits, underscores and dashes. */
  readonly toolNames: 'any' | 'plain';
  /** How many stop words a chat request may have; null for any number. */
  readonly maxStops: number | null;
}

/**
 * What JSON schemas may not hold. `typed_branches`: a type beside branches; it belongs inside of them. `plain`: anything
 * but the basic keywords. `no_patterns`: patterns and formats of texts.
 */
export type SchemaLimit = 'typed_branches' | 'plain' | 'no_patterns';

export const DEFAULT_ADAPT_COMPAT: AdaptCompat = {
  developerRole: 'developer',
  systemMessages: 'any',
  alternateRoles: false,
  dropFields: [],
  maxTokens: 'as_sent',
  toolChoice: 'any',
  toolOrder: 'as_sent',
  emptyContent: 'as_sent',
  toolImages: 'as_sent',
  schemas: [],
  toolNames: 'any',
  maxStops: null,
};
