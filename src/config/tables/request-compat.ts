import { DEFAULT_REQUEST_COMPAT as DEFAULTS } from '../../base/wire.ts';
import { COUNT, FLAG, oneOf, parsed, someOf, TEXTS } from '../setting/kinds.ts';
import { setting } from '../setting/setting.ts';

/** Older form of `tool_images`: whether the server accepts images in outputs. */
const OUTPUT_IMAGES = parsed(FLAG.expected, ({ value }) => {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'as_sent' : 'user';
});

export const REQUEST_COMPAT_SETTINGS = {
  /** Name of the role of developers. */
  developerRole: setting('model_providers.*.compat.developer_role', oneOf('developer', 'system'), {
    default: DEFAULTS.developerRole,
  }),
  /** `one`: a single system message at the beginning. Later ones become texts of the user, with a label. */
  systemMessages: setting('model_providers.*.compat.system_messages', oneOf('any', 'one'), {
    default: DEFAULTS.systemMessages,
  }),
  /**
   * Whether roles must alternate. Messages of one role in a row are merged, and a word of the assistant stands between
   * results of tools and the user.
   */
  alternateRoles: setting('model_providers.*.compat.alternate_roles', FLAG, { default: DEFAULTS.alternateRoles }),
  /** Paths of fields that are left out, such as `["store", "messages.*.reasoning_content"]`. */
  dropFields: setting('model_providers.*.compat.drop_fields', TEXTS, { default: DEFAULTS.dropFields }),
  /** Name of the limit on the tokens of an answer (`chat` only). */
  maxTokens: setting('model_providers.*.compat.max_tokens', oneOf('as_sent', 'max_tokens', 'max_completion_tokens'), {
    default: DEFAULTS.maxTokens,
  }),
  /** `auto`: no tool is forced. `omit`: the field is left out. */
  toolChoice: setting('model_providers.*.compat.tool_choice', oneOf('any', 'auto', 'omit'), {
    default: DEFAULTS.toolChoice,
  }),
  /** `strict`: calls stand together, and their results follow right behind them in the same order. */
  toolOrder: setting('model_providers.*.compat.tool_order', oneOf('as_sent', 'strict'), {
    default: DEFAULTS.toolOrder,
  }),
  /** Content of messages that hold calls and no text (`chat` only). */
  emptyContent: setting('model_providers.*.compat.empty_content', oneOf('as_sent', 'null', 'empty', 'omit', 'space'), {
    default: DEFAULTS.emptyContent,
  }),
  /** `user`: images in results follow in a message of the user. With the older name, `false` means `user`. */
  toolImages: setting('model_providers.*.compat.tool_images', oneOf('as_sent', 'user'), {
    default: DEFAULTS.toolImages,
    older: setting('model_providers.*.compat.output_images', OUTPUT_IMAGES),
  }),
  /**
   * Parts of tools' schemas that are rewritten. `plain`: all but basic keywords. `typed_branches`: a type next to
   * branches. `no_patterns`: patterns and formats.
   */
  schemas: setting('model_providers.*.compat.schemas', someOf('typed_branches', 'plain', 'no_patterns'), {
    default: DEFAULTS.schemas,
  }),
  /** `plain`: at most 64 letters, digits, `_` and `-`. Calls get the real names back. */
  toolNames: setting('model_providers.*.compat.tool_names', oneOf('any', 'plain'), { default: DEFAULTS.toolNames }),
  /**
   * Number of stop words that are sent (`chat` only).
   * @default all
   */
  maxStops: setting('model_providers.*.compat.max_stops', COUNT, { default: DEFAULTS.maxStops }),
  /**
   * How a request says how much the model thinks (`messages` only). `adaptive`: an effort, with which the model decides
   * itself. `budget`: a number of tokens. `none`: not at all, for servers and models that do not know thinking.
   */
  thinkingForm: setting('model_providers.*.compat.thinking_form', oneOf('as_sent', 'adaptive', 'budget', 'none'), {
    default: DEFAULTS.thinkingForm,
  }),
  /**
   * Largest limit on the tokens of an answer that the server accepts. Higher limits are lowered to it.
   * @default any
   */
  maxOutputTokens: setting('model_providers.*.compat.max_output_tokens', COUNT, {
    default: DEFAULTS.maxOutputTokens,
  }),
};
