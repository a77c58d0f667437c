import { FILE, parsed, TEXT } from '../setting/kinds.ts';
import { setting, type ValuesOf } from '../setting/setting.ts';

const isInteger = (value: unknown): value is number => Number.isInteger(value);

export const TOKENS = parsed('a number of tokens', ({ value }) => (isInteger(value) && value >= 1 ? value : undefined));

/** Infinity: no thread is compacted by itself. */
const TOKEN_LIMIT = parsed('a number of tokens, or -1 for never', ({ value }) => {
  if (!isInteger(value) || value < -1) return undefined;
  return value <= 0 ? Number.POSITIVE_INFINITY : value;
});

export const COMPACTION_SETTINGS = {
  /**
   * Number of tokens that the model accepts at once.
   * @default what is known of the model, otherwise `272000`
   */
  window: setting('model_context_window', TOKENS),
  /**
   * Number of tokens at which a thread is [compacted](threads.md#compaction), at most 90 % of the window.
   * @default 90 % of the window
   */
  limit: setting('model_auto_compact_token_limit', TOKEN_LIMIT),
  /**
   * Text that asks the model for a summary.
   * @default the text of Oxbow
   */
  prompt: setting('compact_prompt', TEXT),
  /** File with that text. `compact_prompt` beats it. */
  promptFile: setting('experimental_compact_prompt_file', FILE),
};

/** Settings of the compaction of threads. */
export interface CompactionConfig extends ValuesOf<typeof COMPACTION_SETTINGS> {}
