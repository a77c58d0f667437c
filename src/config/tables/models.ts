import type { ModelEntry } from '../../base/model-entry.ts';
import { someOf, TEXTS } from '../setting/kinds.ts';
import { readGiven, setting } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';
import { TOKENS } from './compaction.ts';
import { type ModelPrices, readModelPrices } from './model-prices.ts';

export const KNOWN_MODEL_SETTINGS = {
  /**
   * Number of tokens that a model accepts at once. The name is that of a model, or `PROVIDER/MODEL`.
   * `model_context_window` beats it.
   * @default what is [built in](providers.md#models), otherwise `272000`
   */
  contextWindow: setting('models.*.context_window', TOKENS),
  /**
   * Most tokens of one response, for `oxbow models`.
   * @default what is built in
   */
  maxOutputTokens: setting('models.*.max_output_tokens', TOKENS),
  /**
   * Kinds of input that the model accepts. Without `image`, no image is sent.
   * @default what is built in, otherwise text and images
   */
  input: setting('models.*.input', someOf('text', 'image', 'audio', 'video', 'pdf')),
  /**
   * Values of `model_reasoning_effort` that the model knows, for `oxbow models`.
   * @default what is built in
   */
  reasoningEfforts: setting('models.*.reasoning_efforts', TEXTS),
};

/** Prices and facts, by the name of a model or `PROVIDER/MODEL`. */
export interface ModelTables {
  readonly modelPrices: ModelPrices;
  /** The user's facts about models. */
  readonly models: Readonly<Record<string, ModelEntry>>;
}

/** Reads the `[model_prices."NAME"]` and `[models."NAME"]` tables. */
export function readModelTables(reader: SettingsReader): ModelTables {
  return { modelPrices: readModelPrices(reader), models: readModels(reader) };
}

function readModels(reader: SettingsReader): ModelTables['models'] {
  return Object.fromEntries(
    reader.keys(['models']).map((name) => [name, readGiven(KNOWN_MODEL_SETTINGS, reader, name)]),
  );
}
