import { type Compat, DEFAULT_COMPAT } from '../../base/wire.ts';
import { FLAG, oneOf } from '../setting/kinds.ts';
import { readGiven, type Setting, setting } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';
import { REQUEST_COMPAT_SETTINGS } from './request-compat.ts';

export const COMPAT_SETTINGS = {
  /**
   * Place of the base instructions: the field of that name, or a first developer item. `item` is for servers that ignore
   * or refuse the field (`responses` only).
   */
  instructions: setting('model_providers.*.compat.instructions', oneOf('field', 'item'), {
    default: DEFAULT_COMPAT.instructions,
  }),
  /** Whether the model may make several calls in one response. `false` is for servers that mix them up. */
  parallelToolCalls: setting('model_providers.*.compat.parallel_tool_calls', FLAG, {
    default: DEFAULT_COMPAT.parallelToolCalls,
  }),
  /**
   * Reasoning inside the text. `tags`: between think tags at the beginning of an answer. `open`: every answer begins with
   * reasoning, and only the closing tag comes. `text`: think tags are text, for answers about such tags.
   */
  thinking: setting('model_providers.*.compat.thinking', oneOf('tags', 'open', 'text'), {
    default: DEFAULT_COMPAT.thinking,
  }),
  /**
   * Whether calls that the server left in the text are found and run. `false` is for texts that look like a call and must
   * stay text.
   */
  textCalls: setting('model_providers.*.compat.text_calls', FLAG, { default: DEFAULT_COMPAT.textCalls }),
  /** Whether the server writes arguments with `&quot;` for `"` and the like. */
  htmlEntities: setting('model_providers.*.compat.html_entities', FLAG, { default: DEFAULT_COMPAT.htmlEntities }),
  /**
   * Ids of calls that the server accepts. `nine`: nine letters and digits, for servers that refuse the second request of
   * a turn because of an id.
   */
  callIds: setting('model_providers.*.compat.call_ids', oneOf('any', 'nine'), { default: DEFAULT_COMPAT.callIds }),
  /**
   * Earlier reasoning that goes back to the server: that of this turn, all of it or none. `all` is for servers that miss
   * `reasoning_content` in an older message. `none` is for servers that refuse the field; data that the server attached to
   * reasoning or calls stays away too. Over `responses`, `turn` means `all`.
   */
  sendReasoning: setting('model_providers.*.compat.send_reasoning', oneOf('turn', 'all', 'none'), {
    default: DEFAULT_COMPAT.sendReasoning,
  }),
  /**
   * Form of the outputs of calls. `object`: `content` and `success`, for servers that were made for such objects, which
   * others refuse (`responses` only).
   */
  toolOutput: setting('model_providers.*.compat.tool_output', oneOf('plain', 'object'), {
    default: DEFAULT_COMPAT.toolOutput,
  }),
};

/** The settings of both tables, which are all that `Compat` has. */
const ALL: { readonly [K in keyof Compat]: Setting<Compat[K]> } = { ...COMPAT_SETTINGS, ...REQUEST_COMPAT_SETTINGS };

/** Reads `[model_providers.ID.compat]`. */
export function readCompat(reader: SettingsReader, id: string): Partial<Compat> {
  return readGiven(ALL, reader, id);
}
